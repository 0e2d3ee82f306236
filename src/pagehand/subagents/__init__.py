"""Whole agents as tools of another agent, each in its own worker, thread or process."""
