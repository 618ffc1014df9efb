"""The methods. A file here adds those in its `METHODS`, a dictionary by name."""
