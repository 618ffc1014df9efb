"""Encoded rows in memory, or in a file once there are too many."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from antireg.predictive.values import Array

MOST_BYTES = 2**30
"""Bytes to keep in memory at most."""


class RowStore:
    """Collects rows piece by piece.

    Args:
        folder: Where to put them if they are many; None keeps them in memory.
    """

    def __init__(self, folder: Path | None) -> None:
        """Start in memory."""
        self.path = None if folder is None else folder / "rows.bin"
        self.pieces: list[Array] = []
        self.n_bytes = self.n_rows = self.n_features = 0

    def add(self, rows: Array) -> None:
        """Add rows, (rows, features)."""
        self.pieces.append(rows)
        self.n_rows += len(rows)
        self.n_features = rows.shape[1]
        self.n_bytes += rows.nbytes
        if self.n_bytes > MOST_BYTES and self.path is not None:
            self._spill(self.path)

    def all(self) -> Array:
        """Return all rows as one array, or as a memmap of the file."""
        if self.path is None or not self.path.exists():
            return np.concatenate(self.pieces)
        self._spill(self.path)
        shape = (self.n_rows, self.n_features)
        return np.memmap(self.path, np.float64, "r", shape=shape)

    def _spill(self, path: Path) -> None:
        with path.open("ab") as file:
            for piece in self.pieces:
                piece.tofile(file)
        self.pieces = []
