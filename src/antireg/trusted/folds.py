"""Which rows a copy of the model is fitted without."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Folds = NDArray[np.intp]


def fold_of_rows(
    labels: NDArray[Any] | None,
    groups: NDArray[Any] | None,
    n_rows: int,
    n_folds: int,
    rng: np.random.Generator,
) -> Folds:
    """Return the number of each row's fold, from 0, (rows,).

    Folds have their share of every label; with groups, they are of whole groups.

    Args:
        labels: Of each row, (rows,), if there are any.
        groups: Which rows belong together, (rows,), if any do.
        n_rows: How many rows there are.
        n_folds: How many folds to make, at most.
        rng: Source of randomness.
    """
    if groups is not None:
        names, place = np.unique(groups, return_inverse=True)
        if len(names) < 2:
            raise ValueError(
                "groups must name at least 2 groups, one to leave out, got 1. Leave "
                "groups out."
            )
        # By size, so that folds are about alike.
        sizes = np.bincount(place) + rng.random(len(names))
        fold = np.empty(len(names), dtype=np.intp)
        fold[np.argsort(-sizes)] = _dealt(len(names), n_folds)
        return fold[place]
    order = rng.permutation(n_rows)
    if labels is not None:
        order = order[np.argsort(labels[order], kind="stable")]
    fold = np.empty(n_rows, dtype=np.intp)
    fold[order] = np.arange(n_rows) % min(n_folds, n_rows)
    return fold


def _dealt(n_items: int, n_folds: int) -> Folds:
    """Return 0, 1, … and back again, so that no fold always has the largest."""
    n_folds = min(n_folds, n_items)
    there_and_back = np.concatenate([np.arange(n_folds), np.arange(n_folds)[::-1]])
    return np.resize(there_and_back, n_items)
