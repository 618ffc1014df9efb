"""A data file: identified by its checksum, never by its name."""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import numpy as np

from antireg.paper.data.where import folders

BLOCK = 1 << 20


@dataclass(frozen=True)
class File:
    """One file of a data set.

    Args:
        name: Path inside a data folder.
        digest: Checksum of the file, "md5:…" or "sha256:…"; empty for files that
            users make themselves.
        size: Bytes.
        url: Canonical address, where there is one.
        payload: For .gz files: checksum of the content. Packers write different
            headers around the same bytes, so a match here is just as good.
        sha256: "sha256:…" of the file, in addition to an MD5, which can be forged.
    """

    name: str
    digest: str
    size: int
    url: str = ""
    payload: str = ""
    sha256: str = ""

    def find(self) -> Path | None:
        """Return the first copy in the data folders with the right checksum."""
        names = [self.name]
        if self.payload:
            names.append(self.name.removesuffix(".gz"))
        paths = [folder / name for folder in folders() for name in names]
        return next((p for p in paths if p.is_file() and self.matches(p)), None)

    def matches(self, path: Path) -> bool:
        """Return whether the file at `path` holds the right bytes."""
        return _matches(self, path, path.stat().st_mtime_ns)


@lru_cache  # `changed` is the modification time: a changed file is read again
def _matches(file: File, path: Path, changed: int) -> bool:
    if not file.digest:
        return True
    if all(_has(path, digest) for digest in (file.digest, file.sha256) if digest):
        return True
    if not file.payload:
        return False
    try:
        with open_payload(path) as stream:
            return checksum(stream, file.payload) == file.payload
    except (EOFError, OSError, zlib.error):
        return False


def _has(path: Path, digest: str) -> bool:
    with path.open("rb") as stream:
        return checksum(stream, digest) == digest


def checksum(stream: IO[bytes], like: str) -> str:
    """Return the checksum of a stream, by the algorithm named in `like`."""
    algorithm = like.partition(":")[0]
    digest = hashlib.new(algorithm, usedforsecurity=False)
    while block := stream.read(BLOCK):
        digest.update(block)
    return f"{algorithm}:{digest.hexdigest()}"


def open_payload(path: Path) -> BinaryIO:
    """Open a file for reading, through gzip if that is how it is packed."""
    with path.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path)) if packed else path.open("rb")


def npz(**arrays: Any) -> bytes:
    """Return the content of a compressed .npz file."""
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()
