"""A lock for work that temporarily changes a module: threads take turns at it."""

from __future__ import annotations

import os
import threading


class Turns:
    """One thread at a time; the thread inside may enter again.

    A forked process gets a free lock: the thread that held it is not there.
    """

    def __init__(self) -> None:
        """Make the lock."""
        self._renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def __enter__(self) -> None:
        """Wait for one's turn."""
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        """Let others in."""
        self._lock.release()

    def _renew(self) -> None:
        self._lock = threading.RLock()
