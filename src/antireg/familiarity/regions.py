"""Which sets of training rows to leave out of rehearsals: regions, groups, tails."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

Mask = NDArray[np.bool_]

COARSE, FINE, FINE_AT_ONCE = 4, 12, 3
"""Numbers of coarse and fine regions; coarse ones are left out one by one, fine ones
three at a time."""

MOST_GROUP_SETS = 8
MOST_TAILS, TAIL = 4, 0.12
"""Columns whose tails are left out, and the share of rows at each end."""

FEW_VALUES = 5
"""A column with no more distinct values than this has no tails."""

MOST_COLUMNS = 64
"""With more, regions are found by principal components, and there are no tails."""

COMPONENTS = 32
MOST_ROWS = 4000
"""Most rows that regions are found from."""

SMALLEST, LARGEST = 0.01, 0.6
"""Least and largest share of the rows in a set."""

REHEARSAL_REFERENCES = 1000
"""Rows that a rehearsal compares with, of those it was trained on."""

MOST_ASKED, MOST_LEFT_OUT = 500, 150
"""Most validation rows, and most rows of its set, that a rehearsal is asked about."""

FEWEST_ASKED = 8
"""A rehearsal with fewer validation rows cannot tell what is usual to it."""

FEWEST_ROWS, FEWEST_SETS = 100, 3
"""With fewer rows, or sets of them, doubt is not learned and has its default numbers.
"""


def rehearsal_sets(
    inputs: NDArray[np.floating],
    seed: int,
    groups: NDArray[Any] | None = None,
    fine: bool = True,
) -> list[Mask]:
    """Return the sets of rows to leave out, one set per rehearsal, (rows,) each.

    There are four coarse regions; twelve fine ones, three at a time; and both tails of
    up to four columns.

    Args:
        inputs: As the network sees them, (rows, columns).
        seed: Of the regions and the choice of columns.
        groups: Label of each row, (rows,); if given, groups replace the regions.
        fine: Whether there are fine regions beside tails; without tails there are.
    """
    rng, with_tails = np.random.default_rng(seed), _with_tails(inputs)
    if groups is None:
        sets = _regions(inputs, seed, rng, fine or not with_tails)
    else:
        labels, place = np.unique(groups, return_inverse=True)
        shares = rng.permutation(len(labels)) % min(len(labels), MOST_GROUP_SETS)
        sets = [shares[place] == number for number in range(shares.max() + 1)]
    for column in rng.permutation(with_tails)[:MOST_TAILS].astype(int):
        low, high = np.quantile(inputs[:, column], [TAIL, 1 - TAIL])
        sets.append((inputs[:, column] < low) | (inputs[:, column] > high))
    n_rows = len(inputs)
    return [
        mask for mask in sets if SMALLEST * n_rows <= mask.sum() <= LARGEST * n_rows
    ]


def _regions(
    inputs: NDArray[np.floating], seed: int, rng: np.random.Generator, fine: bool
) -> list[Mask]:
    some = rng.permutation(len(inputs))[:MOST_ROWS]
    if len(some) < FINE:
        return []
    if inputs.shape[1] > MOST_COLUMNS:
        inputs = _components(inputs, some)

    def found(n_regions: int) -> NDArray[np.intp]:
        means = KMeans(n_regions, n_init=3, random_state=seed).fit(inputs[some])
        return np.asarray(means.predict(inputs))

    coarse = found(COARSE)
    sets = [coarse == region for region in range(COARSE)]
    if not fine:
        return sets
    small, shuffled, n_sets = found(FINE), rng.permutation(FINE), FINE // FINE_AT_ONCE
    return sets + [np.isin(small, shuffled[first::n_sets]) for first in range(n_sets)]


def _components(
    inputs: NDArray[np.floating], some: NDArray[np.intp]
) -> NDArray[np.floating]:
    """Return all rows in the principal components of some of them."""
    centre = inputs[some].mean(axis=0)
    _, _, directions = np.linalg.svd(inputs[some] - centre, full_matrices=False)
    return np.asarray((inputs - centre) @ directions[:COMPONENTS].T)


def _with_tails(inputs: NDArray[np.floating]) -> list[int]:
    """Return the columns that have tails to leave out."""
    if inputs.shape[1] > MOST_COLUMNS:
        return []
    return [
        column
        for column in range(inputs.shape[1])
        if len(np.unique(inputs[:, column])) > FEW_VALUES
    ]
