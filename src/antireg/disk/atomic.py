"""Files that appear whole or not at all: the one place where results are written.

A file is written under a random name beside its own, readable by its owner only,
flushed to the disk and then renamed. A symbolic link at the name is replaced, and what
it points to is left alone. A killed process leaves a file behind, which the next write
to the same name removes: a file in use is locked, and the lock ends with its process.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EISDIR
from pathlib import Path
from typing import BinaryIO, cast

try:
    import fcntl
except ModuleNotFoundError:  # not POSIX: files of killed processes stay
    fcntl = None  # type: ignore[assignment]

HANDLES = os.open in os.supports_dir_fd
"""Whether folders can be opened, as they cannot be on Windows."""

LEFTOVER = re.compile(r"\..+\.[0-9a-f]{16}\.part")
"""Names of files that are not finished."""

PROBE_BYTES = 2**16
"""Bytes that must be free for a write to be worth starting."""

MOST_OF_NAME = 40
"""Characters of the name; with the random ones it stays below the 255 bytes allowed."""


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Yield a file that replaces `path` at the end, if nothing went wrong.

    Its folder is created if missing, and an older file's permissions are kept.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    _refuse_folder(target)
    remove_leftovers(target.parent, _beginning(target))
    file, mode = _opened(target)
    try:
        with file:
            yield file
            file.flush()
            os.chmod(file.name, mode)
            os.fsync(file.fileno())
            if fcntl is None:
                file.close()  # Windows renames no open file
            os.replace(file.name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(file.name)
        raise
    flush_folder(target.parent)


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that it appears whole or not at all."""
    with whole_file(path) as file:
        file.write(content)


def check_writable(path: str | os.PathLike[str], option: str) -> None:
    """Raise if a file cannot be written, before any work could be lost.

    Its folder is created. A disk that fills up later is noticed only then.

    Args:
        path: The file.
        option: Name of the argument, for the message.
    """
    target = Path(path)
    try:
        _refuse_folder(target)
        probe(target.parent)
    except OSError as error:
        raise ValueError(
            f"{option} must be a file that can be written, got {str(path)!r} "
            f"({error.strerror or error}). Choose another place, or free some space."
        ) from error


def probe(folder: Path) -> None:
    """Create a folder if missing, and write, flush and remove a small file in it.

    If a file cannot be written there, this raises an OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    remove_leftovers(folder, ".probe.")
    file, _ = _opened(folder / "probe")
    try:
        with file:
            file.write(bytes(PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    finally:
        with suppress(FileNotFoundError):  # who cleans up may take it once it is closed
            os.unlink(file.name)


def remove_leftovers(folder: Path, beginning: str = ".") -> None:
    """Remove the unfinished files of processes that are gone.

    Args:
        folder: Where to look.
        beginning: Of their names.
    """
    if fcntl is None:
        return
    for name in os.listdir(folder):
        if name.startswith(beginning) and LEFTOVER.fullmatch(name):
            with suppress(OSError):  # no file of ours, or another process removed it
                _remove_if_abandoned(folder / name)


def flush_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def folder_handle(path: str | os.PathLike[str]) -> Iterator[int | None]:
    """Yield a handle of a folder; None where folders have none."""
    if not HANDLES:
        yield None
        return
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield handle
    finally:
        os.close(handle)


def lock(handle: int | None, wait: bool = False) -> bool:
    """Lock an open file or folder until it is closed; return whether that was possible.

    On a file system without locks we assume that nobody else uses it.
    """
    if fcntl is None or handle is None:
        return False
    with suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        return True
    return False


def _opened(target: Path) -> tuple[BinaryIO, int]:
    """Return a new locked file beside the target, and the permissions to end with."""
    while True:
        name = target.with_name(f"{_beginning(target)}{secrets.token_hex(8)}.part")
        file = cast(BinaryIO, open(name, "w+b", opener=_new))  # noqa: SIM115
        # A process that cleans up may lock it between opening and locking: wait for it,
        # and do not write to a file that it has removed.
        if not lock(file.fileno(), wait=True) or os.fstat(file.fileno()).st_nlink:
            break
        file.close()
    mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
    os.chmod(name, 0o600)
    with suppress(OSError):
        before = os.lstat(target).st_mode
        mode = stat.S_IMODE(before) if stat.S_ISREG(before) else mode
    return file, mode


def _new(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o666)


def _beginning(target: Path) -> str:
    return f".{target.name[:MOST_OF_NAME]}."


def _refuse_folder(target: Path) -> None:
    if target.is_dir() and not target.is_symlink():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(target))


def _remove_if_abandoned(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if stat.S_ISREG(os.fstat(handle).st_mode) and lock(handle):
            os.unlink(path)
    finally:
        os.close(handle)
