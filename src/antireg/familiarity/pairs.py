"""Values that are usual each by itself, but never seen together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.blame import product

WINDOW = 0.05
"""Values of a column are alike if they differ by at most this share of its range."""

FEWEST_EXPECTED = 2.0
"""Rows that would have both values by chance, if columns had nothing to do with each
other: if they are fewer, that none has both says little."""

BLOCK_NUMBERS = 2**18


def unseen_partners(
    inputs: NDArray[np.floating],
    columns: NDArray[np.intp],
    references: NDArray[np.floating],
    owners: NDArray[np.intp],
) -> NDArray[np.intp]:
    """Return the column whose value no reference has with that of the first, (rows,).

    Of several it is the one of which most references were to be expected; −1 if none.

    Args:
        inputs: As the network sees them, (rows, features).
        columns: The first column of each row, then those to compare it with, all
            different, (rows, columns).
        references: (references, features).
        owners: Index of the column of each feature, ascending, (features,).
    """
    step = max(1, BLOCK_NUMBERS // (len(references) * max(columns.shape[1], 1)))
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
    alike = np.ones((*columns.shape, len(references)), dtype=np.float32)
    for j, column in enumerate(owners):
        rows, slots = np.nonzero(columns == column)
        if rows.size:
            near = np.abs(inputs[rows, j, None] - references[:, j]) <= wide[j]
            alike[rows, slots] *= near
    # Products of zeros and ones count quicker than truth values.
    both = product(alike[:, 1:], alike[:, 0, :, None])[..., 0]
    single = alike.sum(axis=2)
    expected = single[:, 1:] * single[:, :1] / len(references)
    found = np.where(both == 0, expected, 0.0)
    if not found.shape[1]:
        return np.full(len(inputs), -1)
    best = found.argmax(axis=1)
    rows = np.arange(len(inputs))
    enough = found[rows, best] >= FEWEST_EXPECTED
    return np.where(enough, columns[rows, best + 1], -1)
