"""Where the k smallest values of each row are, faster than by sorting it."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Places = NDArray[np.intp]

GROUP = 16
"""Values that are looked at together; rows have whole groups of them."""


def smallest(values: NDArray[np.float32], k: int) -> Places:
    """Return the places of the k smallest values of each row, in any order, (rows, k).

    If values are cut into groups, the smallest values of k groups are k values, and so
    none of the k smallest of all is above the largest of these.

    Args:
        values: (rows, references).
        k: How many.
    """
    if k == 1:
        return np.asarray(values.argmin(1)[:, None])
    n_groups, lowest = values.shape[1] // GROUP, torch.from_numpy(values)
    while lowest.shape[1] >= 2 * max(n_groups, k):
        half = lowest.shape[1] // 2
        lowest = torch.minimum(lowest[:, :half], lowest[:, half:])
    limits = np.partition(lowest.numpy(), k - 1, axis=1)[:, k - 1 : k]
    found = np.flatnonzero(values <= limits)
    starts = np.searchsorted(found, values.shape[1] * np.arange(len(values) + 1))
    counts = np.diff(starts)
    best = np.zeros((len(values), k), np.intp)
    just = np.flatnonzero(counts == k)
    best[just] = found[starts[just, None] + np.arange(k)]
    best[just] -= values.shape[1] * just[:, None]
    more = np.flatnonzero(counts != k)
    if more.size:
        left = found[np.repeat(counts != k, counts)]
        best[more] = _smallest_of(left, counts[more], values, more, k)
    return best


def _smallest_of(
    found: Places, counts: Places, values: NDArray[np.float32], rows: Places, k: int
) -> Places:
    """Return the places of the k smallest values of some rows, (rows, k).

    Args:
        found: Where the values are that may be among them, row after row.
        counts: How many of each row, (rows,).
        values: Of all rows, (all rows, references).
        rows: Which, (rows,).
        k: How many.
    """
    owners = np.repeat(np.arange(len(rows)), counts)
    slots = np.arange(len(found)) - np.repeat(np.cumsum(counts) - counts, counts)
    near = np.full((len(rows), max(counts.max(), k + 1)), np.inf, np.float32)
    near[owners, slots] = values.ravel()[found]
    kept = np.zeros(near.shape, np.intp)
    kept[owners, slots] = found - values.shape[1] * rows[owners]
    order = np.argsort(near, axis=1, kind="stable")
    best = np.take_along_axis(kept, order[:, :k], axis=1)
    ends = np.take_along_axis(near, order[:, k - 1 : k + 1], axis=1)
    tied = np.flatnonzero((ends[:, 0] == ends[:, 1]) & np.isfinite(ends[:, 0]))
    if tied.size:
        equal = torch.from_numpy(values[rows[tied]])
        best[tied] = _smallest_by_groups(equal, k)
    return best


def _smallest_by_groups(values: Tensor, k: int) -> Tensor:
    """Return the same, choosing among equal values as models have always done.

    Those of k groups with the smallest members are looked at alone: the others hold
    none of them.
    """
    n_groups = values.shape[1] // GROUP
    if n_groups <= k:
        return values.topk(k, largest=False, sorted=False).indices
    lowest = values.view(len(values), GROUP, n_groups).amin(1)
    groups = lowest.topk(k, largest=False, sorted=False).indices
    places = (groups[:, :, None] + n_groups * torch.arange(GROUP)).flatten(1)
    best = values.gather(1, places).topk(k, largest=False, sorted=False).indices
    return places.gather(1, best)
