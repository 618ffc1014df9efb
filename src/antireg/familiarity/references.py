"""Which training rows are kept to compare with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST = 10_000


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
