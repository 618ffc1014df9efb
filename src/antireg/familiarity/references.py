"""Which training rows are kept to compare with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antireg.networks import Stack

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


MOST_NUMBERS = 2**26
"""Of all references together: their inputs, and what members make of them."""

MOST_PRODUCTS = 2**37
"""For one pass of all references through all members, which loading takes."""


def most_references(network: Stack, n_columns: int) -> int:
    """Return how many references these members may have: 10,000, or fewer if large."""
    widest = max(shape[-1] for shape in network.shapes.values() if shape)
    n_numbers = n_columns + network.n_members * widest
    n_weights = network.flat.numel()
    return max(1, min(MOST, MOST_NUMBERS // n_numbers, MOST_PRODUCTS // n_weights))


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
