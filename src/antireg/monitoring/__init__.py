"""Notices drift without targets, by a test that may be looked at every day."""

from antireg.monitoring.monitor import Monitor

__all__ = ["Monitor"]
