"""Which rows to hold out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def held_out_rows(
    labels: NDArray[Any],
    groups: NDArray[Any] | None,
    fraction: float,
    rng: np.random.Generator,
) -> NDArray[np.bool_]:
    """Return which rows are held out: whole groups, if there are any.

    Args:
        labels: Of which each must be among the other rows, (rows,).
        groups: Which rows belong together, (rows,).
        fraction: Share of the rows.
        rng: Source of randomness.
    """
    if groups is None:
        return hold_out(labels, fraction, rng)
    return hold_out_groups(groups, labels, fraction, rng)


def hold_out(
    groups: NDArray[Any], fraction: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Return a mask that holds out the same `fraction` of the rows of every group.

    At least one row is held out, and at least one row of each group is not.

    Args:
        groups: Label of each row, (rows,).
        fraction: Share of the rows.
        rng: Source of randomness.
    """
    n_rows = len(groups)
    if n_rows < 2:
        raise ValueError(
            f"X must have at least 2 rows, one to hold out, got n_samples={n_rows}."
        )
    candidates = all_but_one_of_each(groups, rng.permutation(n_rows))
    if not candidates.size:
        raise ValueError(
            f"y must have more rows than classes, got {n_rows} rows of as many "
            "classes. Gather more rows, or use EnsembleRegressor if they are amounts."
        )
    wanted = min(max(1, round(fraction * n_rows)), len(candidates))
    # Candidates at even distances in the order of groups: each group gives its share.
    steps = (np.arange(wanted) + rng.random()) * len(candidates) / wanted
    mask = np.zeros(n_rows, dtype=bool)
    mask[candidates[steps.astype(int)]] = True
    return mask


def all_but_one_of_each(
    groups: NDArray[Any], places: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return places of rows, ordered by group, without the first of each group.

    Args:
        groups: Label of each row, (rows,).
        places: Of rows, in the order in which those of a group are to come.
    """
    by_group = places[np.argsort(groups[places], kind="stable")]
    _, first_of_group = np.unique(groups[by_group], return_index=True)
    return np.delete(by_group, first_of_group)


def hold_out_groups(
    groups: NDArray[Any],
    labels: NDArray[Any],
    fraction: float,
    rng: np.random.Generator,
) -> NDArray[np.bool_]:
    """Return a mask that holds out whole groups, about `fraction` of the rows.

    At least one group is held out, and one row of each label is not.

    Args:
        groups: Which rows belong together, (rows,).
        labels: Each must be in the other rows too, (rows,).
        fraction: Share of the rows.
        rng: Source of randomness.
    """
    rows_of_group = _rows_by_group(groups)
    if len(rows_of_group) < 2:
        raise ValueError(
            "groups must name at least 2 groups, one to hold out, got 1. Leave groups "
            "out, or give validation rows."
        )
    label = np.unique(labels, return_inverse=True)[1]
    left, mask = np.bincount(label), np.zeros(len(groups), dtype=bool)
    wanted = max(1, round(fraction * len(groups)))

    def hold(rows: NDArray[np.intp]) -> None:
        """Hold a group out, unless a label would be left without rows."""
        after = left - np.bincount(label[rows], minlength=len(left))
        if after.min() > 0:
            left[:], mask[rows] = after, True

    for number in rng.permutation(len(rows_of_group)):
        rows = rows_of_group[number]
        if mask.sum() < wanted and mask.sum() + len(rows) <= 2 * wanted:
            hold(rows)
    for rows in sorted(rows_of_group, key=len):  # if all are larger than that
        if not mask.any():
            hold(rows)
    if not mask.any():
        raise ValueError(
            "groups must leave rows of every class of y when one of them is held out, "
            "got none that does. Join groups, or give validation rows."
        )
    return mask


def groups_to_leave_out(
    groups: NDArray[Any], labels: NDArray[Any], n_parts: int, rng: np.random.Generator
) -> list[NDArray[np.intp]]:
    """Return places of rows in parts of whole groups, each of which can be left out.

    A part is not there if some label would be left without rows.

    Args:
        groups: Which rows belong together, (rows,).
        labels: Each must be in the other rows too, (rows,).
        n_parts: How many parts to make, at most.
        rng: Source of randomness.
    """
    rows_of_group = _rows_by_group(groups)
    order = rng.permutation(len(rows_of_group))
    parts = [
        np.concatenate([rows_of_group[number] for number in order[first::n_parts]])
        for first in range(min(n_parts, len(order)))
    ]
    n_labels = len(np.unique(labels))
    return [
        part for part in parts if len(np.unique(np.delete(labels, part))) == n_labels
    ]


def _rows_by_group(groups: NDArray[Any]) -> list[NDArray[np.intp]]:
    """Return the places of the rows of each group."""
    number = np.unique(groups, return_inverse=True)[1]
    order = np.argsort(number, kind="stable")
    return np.split(order, np.cumsum(np.bincount(number))[:-1])
