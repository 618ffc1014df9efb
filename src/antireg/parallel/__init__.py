"""Members and candidates shared out over processes or a cluster."""
