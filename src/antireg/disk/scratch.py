"""Temporary folders that go with the process that made them, even if it is killed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WATCH = """
import shutil, sys

sys.stdin.read()  # ends with whoever holds the other end
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""


@contextmanager
def scratch(inside: Path | None = None) -> Iterator[Path]:
    """Make a folder for a while.

    Args:
        inside: Where; by default where the system has its temporary files.
    """
    with (
        tempfile.TemporaryDirectory(
            prefix="antireg-", dir=inside, ignore_cleanup_errors=True
        ) as folder,
        _watched(folder),
    ):
        yield Path(folder)


@contextmanager
def _watched(folder: str) -> Iterator[None]:
    """Have a process of its own delete the folder if this one is killed."""
    if getattr(sys, "frozen", False) or not sys.executable:
        yield  # a program with Python in it, which is not to be started a second time
        return
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", WATCH, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is not for it
    ) as watcher:
        try:
            yield
        finally:
            watcher.kill()
