"""The tasks. A file here adds those in its `TASKS`, a dictionary by name."""
