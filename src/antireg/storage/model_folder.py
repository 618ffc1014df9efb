"""The folder of a stored model: JSON for words, safetensors for arrays, and checksums.

`SHA256SUMS` names the two other files, which are never changed: a save writes two new
ones beside them, renames a new `SHA256SUMS` into place and removes the old two. So a
reader always sees the old or the new model as a whole, even if a save was killed.
Saves wait for each other. In folders of the first version the two files have no number
in their names; they are read and replaced in the same way.

Reading trusts nothing: sizes are compared with the files before memory is allocated,
and anything wrong with a file raises one short ValueError that names the folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from antireg.disk import atomic
from antireg.storage import array_file, bounded_json
from antireg.storage.array_file import Arrays

CHECKSUMS = "SHA256SUMS"

LARGEST_DESCRIPTION = 2**24
"""Bytes; enough for a table of a hundred thousand columns."""

LONGEST_REASON = 300
"""Characters of a file's content that an error message repeats."""

_PLAIN = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NUMBERED = re.compile(r"(?:model-[0-9a-f]{16}\.json|arrays-[0-9a-f]{16}\.safetensors)")
_SUMS = re.compile(
    r"([0-9a-f]{64})  (model(?:-[0-9a-f]{16})?\.json)\n"
    r"([0-9a-f]{64})  (arrays(?:-[0-9a-f]{16})?\.safetensors)\n"
)


def write(
    path: str | os.PathLike[str],
    description: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Write a model to a folder, replacing an older one if there is one.

    Args:
        path: The folder; it may hold nothing but a model.
        description: What JSON can hold, without NaN.
        arrays: By name.
    """
    target = Path(path)
    check_target(target)
    text = json.dumps(description, ensure_ascii=False, allow_nan=False) + "\n"
    plain = {name: np.ascontiguousarray(values) for name, values in arrays.items()}
    parts = {"model-{}.json": text.encode(), "arrays-{}.safetensors": save(plain)}
    _check_sizes(*parts.values())
    made, before = not target.exists(), None
    target.mkdir(parents=True, exist_ok=True)
    with atomic.folder_handle(target) as handle:
        try:
            atomic.lock(handle, wait=True)
            before, sums = names(target), ""
            for form, content in parts.items():
                digest = hashlib.sha256(content).hexdigest()
                name = form.format(digest[:16])
                atomic.write_whole(target / name, content)
                sums += f"{digest}  {name}\n"
            atomic.write_whole(target / CHECKSUMS, sums.encode())
        finally:
            _remove_old(target, before or ())
            if made:
                with suppress(OSError):  # it is not empty, unless the first save failed
                    target.rmdir()
    atomic.flush_folder(target.parent)


def check_target(path: Path, option: str = "path") -> None:
    """Raise if a path cannot hold a model: it has other contents, or is no folder.

    Args:
        path: The folder.
        option: Name of the argument, for the message.
    """
    if not os.path.lexists(path):
        return
    foreign = "is not a folder"
    if path.is_dir():
        ours = set(names(path) or ()) | {CHECKSUMS}
        with os.scandir(path) as entries:
            others = [
                entry.name
                for entry in entries
                if entry.is_dir(follow_symlinks=False)
                or not (entry.name in ours or _is_ours(entry.name))
            ]
        if (path / CHECKSUMS).exists() and not names(path):
            others = [CHECKSUMS]
        if not others:
            return
        foreign = f"holds {min(others)!r}, which is not of a model"
    raise ValueError(
        f"{option} must be new or an older model, got {str(path)!r}, which {foreign}. "
        "Choose another folder."
    )


def check_writable(path: Path, option: str) -> None:
    """Raise if a model cannot be written to a folder, before it is trained."""
    check_target(path, option)
    try:
        atomic.probe(path if path.is_dir() else path.absolute().parent)
    except OSError as error:
        raise ValueError(
            f"{option} must be a folder that can be written, got {str(path)!r} "
            f"({error.strerror}). Choose another place, or free some space."
        ) from error


def names(path: Path) -> tuple[str, str] | None:
    """Return the names of the description and of the arrays, if there is a model."""
    try:
        with (path / CHECKSUMS).open("rb") as stream:
            found = _SUMS.fullmatch(stream.read(1000).decode("ascii", "replace"))
    except OSError:
        return None
    return None if found is None else (found[2], found[4])


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[tuple[dict[str, Any], Arrays]]:
    """Yield the description of a folder, and its arrays to be taken and finished.

    Everything is read through one handle of the folder, each file once.
    """
    with ExitStack() as stack:
        try:
            handle = stack.enter_context(atomic.folder_handle(path))
            os.stat(Path(path) / CHECKSUMS)
        except (OSError, ValueError):
            raise ValueError(
                f"path must be the folder of a stored model, got {str(path)!r}, which "
                f"has no {CHECKSUMS}. Make one with model.save(path)."
            ) from None
        sums, words, arrays = _streams(path, handle, stack)
        content = words.read(LARGEST_DESCRIPTION + 1)
        if len(content) > LARGEST_DESCRIPTION:
            raise damaged(path, f"{sums[2]} is far too large")
        if hashlib.sha256(content).hexdigest() != sums[1]:
            raise damaged(path, f"{sums[2]} is not that of {CHECKSUMS}")
        try:
            description = bounded_json.parse(content)
        except (ValueError, RecursionError) as error:
            raise damaged(path, f"{sums[2]} is not JSON ({error})") from None
        if not isinstance(description, dict):
            raise damaged(path, f"{sums[2]} must hold an object")
        yield description, Arrays(arrays, sums[3], lambda words: damaged(path, words))


def damaged(folder: str | os.PathLike[str], reason: str) -> ValueError:
    """Return the error of a folder that cannot be trusted."""
    if len(reason) > LONGEST_REASON:
        reason = f"{reason[:LONGEST_REASON]} …"
    return ValueError(
        f"The model in {os.fspath(folder)!r} is damaged or was tampered with: "
        f"{reason}. Copy it again or save it anew."
    )


def _streams(
    path: str | os.PathLike[str], handle: int | None, stack: ExitStack
) -> tuple[re.Match[str], BufferedReader, BufferedReader]:
    """Return the checksums and the two files they name, all from the same save."""
    before = None
    while True:
        with ExitStack() as tries:
            stream = tries.enter_context(_file(path, CHECKSUMS, handle))
            entry = os.fstat(stream.fileno())
            found = _SUMS.fullmatch(stream.read(1000).decode("ascii", "replace"))
            if found is None:
                raise damaged(path, f"{CHECKSUMS} does not name the two other files")
            try:
                words, arrays = (
                    tries.enter_context(_file(path, name, handle))
                    for name in (found[2], found[4])
                )
            except FileNotFoundError as error:
                # A save may have removed them since; then there are new checksums.
                stamp = (entry.st_ino, entry.st_mtime_ns)
                if stamp == before:
                    raise damaged(path, f"{error.filename} is missing") from None
                before = stamp
                continue
            stack.push(tries.pop_all())
            return found, words, arrays


def _file(
    path: str | os.PathLike[str], name: str, folder: int | None
) -> BufferedReader:
    """Open a plain file of a folder."""
    place = name if folder is not None else os.path.join(path, name)
    handle = os.open(place, os.O_RDONLY | _PLAIN, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)  # before a stream is made, which a folder cannot be
        raise damaged(path, f"{name} is not a plain file")
    return os.fdopen(handle, "rb")


def _remove_old(target: Path, replaced: tuple[str, ...]) -> None:
    """Remove replaced files, and those that killed or failed saves left behind."""
    atomic.remove_leftovers(target)
    left = {name for name in os.listdir(target) if _NUMBERED.fullmatch(name)}
    for name in (left | set(replaced)) - set(names(target) or ()):
        with suppress(OSError):
            os.unlink(target / name)


def _is_ours(name: str) -> bool:
    return bool(_NUMBERED.fullmatch(name) or atomic.LEFTOVER.fullmatch(name))


def _check_sizes(description: bytes, arrays: bytes) -> None:
    """Raise before writing a model that could not be read again."""
    if len(description) > LARGEST_DESCRIPTION or len(arrays) > array_file.LARGEST:
        raise ValueError(
            f"A model must have at most {LARGEST_DESCRIPTION} bytes of names and "
            f"{array_file.LARGEST} of arrays to be saved, got {len(description)} and "
            f"{len(arrays)}. Use fewer members, or pickle, for yourself only."
        )
    try:
        bounded_json.parse(description)
    except ValueError as error:
        raise ValueError(
            "A model must have a description that can be read again to be saved, got "
            f"one that cannot: {error}. Use fewer columns or categories."
        ) from None
