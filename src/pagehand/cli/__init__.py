"""The command line: `python -m pagehand "request"`."""
