"""Values that are usual each by itself, but never seen together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

WINDOW = 0.05
"""Values of a column are alike if they differ by at most this share of its range."""

FEWEST_EXPECTED = 2.0
"""Rows that would have both values by chance, if columns had nothing to do with each
other: if they are fewer, that none has both says little."""

BLOCK_NUMBERS = 2**20


def unseen_partners(
    inputs: NDArray[np.floating],
    columns: NDArray[np.intp],
    references: NDArray[np.floating],
    owners: NDArray[np.intp],
) -> NDArray[np.intp]:
    """Return the column whose value no reference has with that of another, (rows,).

    Of several it is the one of which most references were to be expected; −1 if none.

    Args:
        inputs: As the network sees them, (rows, features).
        columns: The other column of each row, (rows,).
        references: (references, features).
        owners: Index of the column of each feature, ascending, (features,).
    """
    step = max(1, BLOCK_NUMBERS // (len(references) * (int(owners[-1]) + 1)))
    parts = [
        _block(
            inputs[first : first + step],
            columns[first : first + step],
            references,
            owners,
        )
        for first in range(0, len(inputs), step)
    ]
    return np.concatenate(parts) if parts else np.zeros(0, np.intp)


def _block(
    inputs: NDArray[np.floating],
    columns: NDArray[np.intp],
    references: NDArray[np.floating],
    owners: NDArray[np.intp],
) -> NDArray[np.intp]:
    wide = WINDOW * (references.max(axis=0) - references.min(axis=0)) + 1e-6
    shape = (int(owners[-1]) + 1, len(inputs), len(references))
    alike = np.ones(shape, dtype=bool)
    for j, column in enumerate(owners):
        alike[column] &= np.abs(inputs[:, j, None] - references[:, j]) <= wide[j]
    own = alike[columns, np.arange(len(inputs))]
    single, both = alike.sum(axis=2), (alike & own).sum(axis=2)
    expected = single * own.sum(axis=1) / len(references)
    found = np.where(both == 0, expected, 0.0)
    partner = found.argmax(axis=0)
    enough = found[partner, np.arange(len(inputs))] >= FEWEST_EXPECTED
    return np.where(enough, partner, -1)
