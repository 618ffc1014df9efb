"""Which training rows are kept to compare with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ENOUGH, MOST = 2000, 10_000
"""Rows that are kept at least, if there are as many, and at most."""

WORK = 80
"""Multiplications by which a row is compared with a reference."""


def affordable(n_weights: int) -> int:
    """Return how many references to keep: comparing shall cost as much as predicting.

    docs/choices.md says what more of them are worth.

    Args:
        n_weights: Of all members.
    """
    return min(max(n_weights // WORK, ENOUGH), MOST)


def reference_rows(n_rows: int, seed: int, most: int = MOST) -> NDArray[np.intp]:
    """Return the indices of rows drawn at random, in random order, (references,).

    Args:
        n_rows: Number of training rows.
        seed: Of the choice.
        most: How many to keep.
    """
    rng = np.random.default_rng([seed, n_rows])
    if n_rows <= most:
        return rng.permutation(n_rows)
    return rng.choice(n_rows, most, replace=False)
