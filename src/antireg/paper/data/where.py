"""Where data files are: folders to read from, and the one cache to write to.

`ANTIREG_DATA` names the folders, separated as in PATH; the first match wins. The first
writable one is the cache; if there is none, the cache is in the user's own folder.
"""

import os
from pathlib import Path

import pooch

VARIABLE = "ANTIREG_DATA"


def folders() -> list[Path]:
    """Return the folders searched for data files, in order, including the cache."""
    named = [Path(p) for p in os.environ.get(VARIABLE, "").split(os.pathsep) if p]
    if any(_writable(folder) for folder in named):
        return named
    return [*named, Path(pooch.os_cache("antireg"))]


def cache() -> Path:
    """Return the folder that downloads and extracted features are written to."""
    return next(folder for folder in folders() if _writable(folder))


def find(name: str) -> Path | None:
    """Return the first file called `name` in the folders, if there is one."""
    return next((f / name for f in folders() if (f / name).is_file()), None)


def need(name: str, way_out: str) -> Path:
    """Return the file called `name`; if no folder has it, say how to get it."""
    path = find(name)
    if path is None:
        places = ", ".join(str(folder) for folder in folders())
        raise FileNotFoundError(f"{name} is not in {places}. {way_out}")
    return path


def _writable(folder: Path) -> bool:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    # For root, os.access allows everything: the mode bits say what was intended.
    return os.access(folder, os.W_OK) and bool(folder.stat().st_mode & 0o222)
