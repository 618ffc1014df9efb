"""Members and candidates spread over processes or a cluster."""
