"""Temporary folders that go with the process that made them, even if it is killed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from joblib.externals.loky.backend import resource_tracker


@contextmanager
def scratch(inside: Path | None = None) -> Iterator[Path]:
    """Make a folder for a while.

    Args:
        inside: Where; by default where the system has its temporary files.
    """
    folder = tempfile.mkdtemp(prefix="antireg-", dir=inside)
    # A process of joblib's, which outlives this one and its workers.
    resource_tracker.register(folder, "folder")
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if not Path(folder).exists():
            resource_tracker.unregister(folder, "folder")
