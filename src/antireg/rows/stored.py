"""Rows of a file on disk, read when they are needed: inputs larger than memory."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Array = NDArray[np.float64]

CPU = torch.device("cpu")

LARGE = 2**28
"""A memmap of at least this many bytes stays on disk; smaller ones are loaded."""

CHUNK_NUMBERS = 2**22
"""Numbers to read at a time when all rows are read."""

PAGES = 2**29
"""Bytes of the file that this process maps before it releases them."""

ROWS_AT_ONCE = 128
"""Rows of a batch to read at a time."""

NEARBY = 2**21
"""Bytes that the system may load along with a row: a huge page."""


@dataclass(eq=False)
class Opened:
    """A table in an open file, and how much of it is in this process's memory."""

    table: NDArray[Any]
    pages: mmap.mmap
    touched: int = 0

    def touch(self, n_bytes: int) -> None:
        """Count bytes that were read, and release them all once they are many.

        They stay in the system's cache as long as there is memory for it.
        """
        self.touched += n_bytes
        if self.touched >= PAGES and hasattr(mmap, "MADV_DONTNEED"):
            self.pages.madvise(mmap.MADV_DONTNEED)
            self.touched = 0


@dataclass(frozen=True, eq=False)
class Stored:
    """Some rows of a table in a file, (rows, features).

    Checks use it like an array: a slice is read, a mask chooses rows without reading
    them. The trainer uses it like a tensor, once `seen` says how to convert rows.

    Attributes:
        path: The file.
        dtype: Of its numbers.
        offset: Where they start, in bytes.
        whole: Shape of the table in the file.
        strides: Bytes from row to row and from column to column.
        places: Indices of these rows in the file; None for all.
        seen: Converts rows to what the network sees; None leaves them unchanged.
        device: Where the network sees them.
    """

    path: Path
    dtype: np.dtype[Any]
    offset: int
    whole: tuple[int, int]
    strides: tuple[int, ...]
    places: NDArray[np.intp] | None = None
    seen: Callable[[Any], Array] | None = None
    device: torch.device = CPU

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features."""
        places = self.places
        return self.whole[0] if places is None else len(places), self.whole[1]

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Any:
        """Read the rows of a slice, or choose those of a mask to be read later."""
        if isinstance(rows, slice):
            return self._read(rows if self.places is None else self.places[rows])
        chosen = np.flatnonzero(rows)
        places = chosen if self.places is None else self.places[chosen]
        return replace(self, places=places)

    def min(self, axis: int) -> NDArray[Any]:
        """Return the least of each column, (features,)."""
        return self._extremes[0]

    def max(self, axis: int) -> NDArray[Any]:
        """Return the greatest of each column, (features,)."""
        return self._extremes[1]

    def mean(self, axis: int, dtype: Any) -> Array:
        """Return the mean of each column, (features,)."""
        sums = [rows.sum(0, dtype=dtype) for rows in self.chunks()]
        total: Array = np.sum(sums, axis=0) / len(self)
        return total

    def std(self, axis: int, dtype: Any) -> Array:
        """Return the standard deviation of each column, (features,)."""
        mean = self.mean(0, dtype)
        squares = [np.square(rows - mean).sum(0) for rows in self.chunks()]
        deviation: Array = np.sqrt(np.sum(squares, axis=0) / len(self))
        return deviation

    def chunks(self) -> Iterator[NDArray[Any]]:
        """Yield all rows, some at a time, in order."""
        n_rows = max(1, CHUNK_NUMBERS // self.shape[1])
        for first in range(0, len(self), n_rows):
            yield self[first : first + n_rows]

    def split(self, n_rows: int) -> Iterator[Tensor]:
        """Yield all rows as the network sees them, `n_rows` at a time, in order."""
        for first in range(0, len(self), n_rows):
            yield self._tensor(self[first : first + n_rows])

    def read_into(self, room: Tensor, rows: Tensor) -> None:
        """Write the rows with these indices, as the network sees them, to a buffer.

        A few at a time: reading and scaling take at least twice the memory.
        """
        numbers = rows.cpu().numpy()
        places = numbers if self.places is None else self.places[numbers]
        for first in range(0, len(places), ROWS_AT_ONCE):
            part = slice(first, first + ROWS_AT_ONCE)
            room[part] = self._tensor(self._read(places[part]))

    def to(self, device: torch.device) -> Stored:
        """Return the same rows, to be seen on a device."""
        return replace(self, device=device)

    def _read(self, rows: slice | NDArray[np.intp]) -> NDArray[Any]:
        """Return a copy of some rows of the file."""
        table = self._open.table
        if isinstance(rows, slice):
            values = table[rows].copy()
            self._open.touch(values.nbytes)
            return values
        values = np.empty((len(rows), self.shape[1]), self.dtype)
        at_once = max(1, PAGES // (NEARBY + values[:1].nbytes))
        for first in range(0, len(rows), at_once):
            part = slice(first, first + at_once)
            values[part] = table[rows[part]]
            self._open.touch(NEARBY * len(values[part]) + values[part].nbytes)
        return values

    def _tensor(self, values: NDArray[Any]) -> Tensor:
        seen = values if self.seen is None else self.seen(values)
        # A copy, because NumPy's memory may be aligned differently from PyTorch's.
        return torch.from_numpy(seen).to(self.device, torch.float32, copy=True)

    @cached_property
    def _open(self) -> Opened:
        try:
            with self.path.open("rb") as file:
                pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError as error:
            raise FileNotFoundError(
                f"X must be a file that every worker can open, got {self.path}, which "
                "is not on this machine. Put it on a file system that all share, at "
                "the same place."
            ) from error
        table: NDArray[Any] = np.ndarray(
            self.whole, self.dtype, pages, self.offset, self.strides
        )
        return Opened(table, pages)

    @cached_property
    def _extremes(self) -> tuple[NDArray[Any], NDArray[Any]]:
        pairs = [(rows.min(0), rows.max(0)) for rows in self.chunks()]
        low, high = (np.stack(values) for values in zip(*pairs, strict=True))
        return low.min(0), high.max(0)

    def __getstate__(self) -> dict[str, Any]:
        """Send where the rows are, not the rows."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Open the file when it is needed."""
        self.__dict__.update(state)


def stored_rows(X: Any) -> Stored | None:
    """Return the rows of a memmap that should stay on disk, or None.

    Args:
        X: Inputs as the user passes them.
    """
    if not isinstance(X, np.memmap) or X.ndim != 2 or X.dtype.kind not in "fiub":
        return None
    pages, name = _pages(X), X.filename
    # Changes to a copy-on-write map are not in the file.
    if pages is None or name is None or X.mode == "c" or not Path(name).is_file():
        return None
    if X.nbytes <= LARGE or min(X.strides) <= 0:
        return None
    start = np.frombuffer(pages, np.uint8).__array_interface__["data"][0]
    begun = X.offset - X.offset % mmap.ALLOCATIONGRANULARITY
    offset = X.__array_interface__["data"][0] - start + begun
    shape = (X.shape[0], X.shape[1])
    return Stored(Path(name), X.dtype, offset, shape, X.strides)


def _pages(X: Any) -> mmap.mmap | None:
    """Return the open file that an array, or a part of it, is in."""
    while isinstance(X, np.ndarray):
        X = X.base
    return X if isinstance(X, mmap.mmap) else None
