"""The figures of the page, each one or several pictures."""
