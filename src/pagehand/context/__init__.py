"""What fits: counting tokens, the window in use, caps, and compaction of what is too long."""
