"""References that are no training rows: means of rows near each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.neighbours import Space

ROWS_EACH = 10
"""Rows for each prototype, on average."""

FEWEST_ROWS = 5
"""A prototype of fewer is not kept: it would tell too much of them."""

TURNS = 8
"""How often rows choose their prototype again."""


def prototypes(
    inputs: NDArray[np.floating], most: int, seed: int
) -> NDArray[np.float32]:
    """Return means of rows that are near each other, by k-means, (prototypes, columns).

    Each is the mean of five rows or more; if no five are near each other, there is one,
    the mean of all.

    Args:
        inputs: (rows, columns).
        most: How many there may be.
        seed: Of the rows that they start from.
    """
    n_centres = max(1, min(most, len(inputs) // ROWS_EACH))
    start = np.random.default_rng(seed).permutation(len(inputs))[:n_centres]
    centres = np.asarray(inputs[start], np.float32)
    for _ in range(TURNS):
        centres, _ = _means(inputs, centres)
    centres, counts = _means(inputs, centres)
    kept = centres[counts >= FEWEST_ROWS]
    return kept if len(kept) else inputs.mean(axis=0, keepdims=True, dtype=np.float32)


def pooled_values(inputs: NDArray[np.floating], n_values: int) -> NDArray[np.float32]:
    """Return means of values next to each other in their column, (values, columns).

    Args:
        inputs: (rows, columns).
        n_values: How many; each is the mean of as many rows as another, or one more.
    """
    ordered = np.sort(inputs, axis=0)
    starts = np.linspace(0, len(ordered), n_values + 1).astype(int)
    sums = np.add.reduceat(ordered, starts[:-1], axis=0, dtype=np.float64)
    return np.asarray(sums / np.diff(starts)[:, None], np.float32)


def _means(
    inputs: NDArray[np.floating], centres: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Return the means of the rows nearest to each centre, and how many these are."""
    nearest = Space(centres, 1).near(inputs)[1][:, 0]
    order = np.argsort(nearest, kind="stable")
    _, starts, counts = np.unique(nearest[order], return_index=True, return_counts=True)
    sums = np.add.reduceat(inputs[order], starts, axis=0, dtype=np.float64)
    return np.asarray(sums / counts[:, None], np.float32), counts
