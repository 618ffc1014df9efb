"""The folder of a stored model: JSON for words, safetensors for arrays, and checksums.

Reading trusts nothing: sizes are compared with the files before memory is taken, and
whatever is wrong with a file is one ValueError that names it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

DESCRIPTION = "model.json"
ARRAYS = "arrays.safetensors"
CHECKSUMS = "SHA256SUMS"

LARGEST_DESCRIPTION = 2**25
"""Bytes; a table of a hundred thousand columns stays far below."""

DTYPES = {"F32": np.float32, "F64": np.float64, "I64": np.int64}


def write(
    path: str | os.PathLike[str],
    description: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Write the folder under another name, then move it to `path` in one step.

    Args:
        path: The folder; an older model there is replaced, anything else is kept.
        description: What JSON can hold, without NaN.
        arrays: By name.
    """
    target = Path(path)
    check_target(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        text = json.dumps(description, ensure_ascii=False, allow_nan=False)
        (made / DESCRIPTION).write_text(text + "\n", encoding="utf-8")
        plain = {name: np.ascontiguousarray(values) for name, values in arrays.items()}
        save_file(plain, made / ARRAYS)
        names = (DESCRIPTION, ARRAYS)
        sums = "".join(f"{_sha256(made / name)}  {name}\n" for name in names)
        (made / CHECKSUMS).write_text(sums, encoding="ascii")
        for name in (*names, CHECKSUMS):
            _flush(made / name)
        made.chmod(0o777 & ~_umask())
        _move(made, target)
        _flush(target.parent)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def check_target(path: Path) -> None:
    """Raise if `write` would have to replace something that is not a model."""
    if os.path.lexists(path) and not (path / DESCRIPTION).is_file():
        raise ValueError(
            f"path must be new or an older model, got {str(path)!r}, which exists "
            "and is neither. Choose another folder."
        )


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    """Return the description and the arrays of a folder whose checksums are right."""
    folder = Path(path)
    if not (folder / DESCRIPTION).is_file():
        raise ValueError(
            f"path must be the folder of a stored model, got {str(folder)!r}, which "
            f"has no {DESCRIPTION}. Make one with model.save(path)."
        )
    for name in (DESCRIPTION, ARRAYS, CHECKSUMS):
        if not (folder / name).is_file():
            raise damaged(folder, f"{name} is missing")
    size = (folder / DESCRIPTION).stat().st_size
    if size > LARGEST_DESCRIPTION or (folder / CHECKSUMS).stat().st_size > 1000:
        raise damaged(folder, f"{DESCRIPTION} or {CHECKSUMS} is far too large")
    sums = (folder / CHECKSUMS).read_bytes()
    expected = "".join(
        f"{_sha256(folder / name)}  {name}\n" for name in (DESCRIPTION, ARRAYS)
    )
    if sums != expected.encode():
        raise damaged(folder, f"the files are not those of {CHECKSUMS}")
    try:
        text = (folder / DESCRIPTION).read_text(encoding="utf-8")
        description = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise damaged(folder, f"{DESCRIPTION} is not JSON ({error})") from None
    if not isinstance(description, dict):
        raise damaged(folder, f"{DESCRIPTION} must hold an object")
    return description, Arrays(folder)


class Arrays:
    """The arrays of a folder, each taken once, by name, type and shape."""

    def __init__(self, folder: Path) -> None:
        """Open the file and check its header against its size."""
        self.folder = folder
        try:
            self.file = safe_open(folder / ARRAYS, framework="numpy")
            self.left = set(self.file.keys())
        except (SafetensorError, OSError, ValueError, OverflowError) as error:
            raise damaged(folder, f"{ARRAYS} cannot be read ({error})") from None

    def has(self, name: str) -> bool:
        """Return whether an array of this name is left."""
        return name in self.left

    def take(
        self, name: str, dtype: type[np.generic], shape: tuple[int | None, ...]
    ) -> NDArray[Any]:
        """Return one array of finite numbers.

        Args:
            name: In the file.
            dtype: What it must hold.
            shape: What it must have; None for any length.
        """
        if name not in self.left:
            raise damaged(self.folder, f"{ARRAYS} has no {name!r}")
        self.left.remove(name)
        view = self.file.get_slice(name)
        found, kind = tuple(view.get_shape()), DTYPES.get(view.get_dtype())
        fits = len(found) == len(shape) and all(
            want in (None, have) for want, have in zip(shape, found, strict=True)
        )
        if not fits or kind is not dtype:
            raise damaged(
                self.folder,
                f"{name!r} must be {np.dtype(dtype)} of shape {shape}, got "
                f"{view.get_dtype()} of shape {found}",
            )
        values: NDArray[Any] = self.file.get_tensor(name)
        if not np.isfinite(values).all():
            raise damaged(self.folder, f"{name!r} holds NaN or infinite numbers")
        return values

    def finish(self) -> None:
        """Refuse arrays that nobody took."""
        if self.left:
            some = sorted(self.left)[:3]
            raise damaged(self.folder, f"{ARRAYS} holds unknown arrays, such as {some}")


def damaged(folder: str | os.PathLike[str], reason: str) -> ValueError:
    """Return the error of a folder that cannot be trusted."""
    return ValueError(
        f"The model in {os.fspath(folder)!r} is damaged or was tampered with: "
        f"{reason}. Copy it again or save it anew."
    )


def _move(made: Path, target: Path) -> None:
    """Put the made folder in place of the target, if there is one."""
    if not target.exists():
        made.rename(target)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        target.rename(aside / "old")
        made.rename(target)
    finally:
        if not target.exists():
            (aside / "old").rename(target)
        shutil.rmtree(aside)


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _flush(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not a number of JSON")
