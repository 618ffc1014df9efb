"""Temporary folders, deleted when their process ends, even if it is killed."""

from __future__ import annotations

import secrets
import shutil
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
    """Create a temporary folder, and delete it afterwards.

    Args:
        inside: Where to create it; by default among the system's temporary files.
    """
    where = Path(tempfile.gettempdir()) if inside is None else inside
    folder = where / f"antireg-{secrets.token_hex(8)}"
    # It is watched before it is there: no kill comes too early.
    with _watched(folder):
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _watched(folder: Path) -> Iterator[None]:
    """Start a process that deletes the folder if this one is killed."""
    if getattr(sys, "frozen", False) or not sys.executable:
        yield  # Python is embedded in a program, which must not be started twice
        return
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", WATCH, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C must not reach it
    ) as watcher:
        try:
            yield
        finally:
            watcher.kill()
