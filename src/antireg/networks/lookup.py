"""The first layer of columns that are cut into bins, looked up instead of multiplied.

What a column adds to the first layer is a line between any two ends of its bins,

    a_s + (x − c_s) · b_s    in segment s,

so two rows of a table for each column do the work of as many products as it has bins.
It pays off when rows are many, and so it is for predictions, not for training.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import embedding_bag

from antireg.networks.bins import Bins

Array = NDArray[np.float64]

ROUNDING = 4
"""Ends of bins that are as many floats apart, or fewer, are the same end."""


@dataclass(frozen=True, eq=False)
class Lookup:
    """What leaves the first layer, before its activation.

    Attributes:
        cut: Columns that are cut, (cut columns,).
        ends: Where their segments end, ascending, then infinite, (cut columns, ends).
        first: The first segment of each, (cut columns, 1).
        origin: c of each segment, (segments,).
        table: a of each segment, then b of each, (2 segments, members · units).
        others: What the other columns become; they are multiplied.
        kernel: Of these, (others, members · units).
        n_members: Number of networks.
    """

    cut: Tensor
    ends: Tensor
    first: Tensor
    origin: Tensor
    table: Tensor
    others: Bins
    kernel: Tensor
    n_members: int

    def __call__(self, x: Tensor) -> Tensor:
        """Return the values of rows, (members, units, rows); x is (rows, columns)."""
        cut = x.T.index_select(0, self.cut)
        segment = torch.searchsorted(self.ends, cut).add_(self.first)
        away = cut.sub_(self.origin[segment])
        both = torch.cat([segment, segment + len(self.origin)]).T.contiguous()
        weight = torch.cat([torch.ones_like(away), away]).T.contiguous()
        found = embedding_bag(both, self.table, mode="sum", per_sample_weights=weight)
        if len(self.others):
            found.addmm_(self.others(x.T).T, self.kernel)
        return found.view(len(x), self.n_members, -1).permute(1, 2, 0)


_known: WeakKeyDictionary[object, tuple[Tensor, Tensor, Lookup | None]]
_known = WeakKeyDictionary()
"""Kernel, bias and table of first layers."""


def first_layer(
    owner: object, bins: Bins | None, kernel: Tensor, bias: Tensor
) -> Lookup | None:
    """Return `lookup`, made anew only for other weights; None on other devices.

    Args:
        owner: With which it is kept.
        bins: What columns become, if they are cut.
        kernel: (members, inputs, units).
        bias: (members, units).
    """
    if bins is None or kernel.device.type != "cpu":
        return None
    known = _known.get(owner)
    if known and torch.equal(known[0], kernel) and torch.equal(known[1], bias):
        return known[2]
    _known[owner] = kernel.clone(), bias.clone(), lookup(bins, kernel, bias)
    return _known[owner][2]


def lookup(bins: Bins, kernel: Tensor, bias: Tensor) -> Lookup | None:
    """Return the first layer as a table; None if no column is cut.

    Args:
        bins: What columns become.
        kernel: (members, inputs, units).
        bias: (members, units).
    """
    column, *numbers = (values.numpy() for values in bins.tensors)
    cut = np.flatnonzero(np.bincount(column) > 1)
    if not cut.size:
        return None
    weights = kernel.transpose(0, 1).flatten(1).double().numpy()
    ends, origins, values, slopes = [], [], [], []
    for number in cut:
        own = column == number
        shift, slope, low, high = (some[own].astype(np.float64) for some in numbers)
        end = _ends(shift, slope, low, high)
        origin = _origins(end)
        made = (origin[:, None] - shift) * slope
        inside = _middles(end)[:, None] - shift
        bends = (inside * slope > low) & (inside * slope < high)
        ends.append(end)
        origins.append(origin)
        values.append(np.clip(made, low, high) @ weights[own])
        slopes.append((bends * slope) @ weights[own])
    values[0] += bias.flatten().numpy()
    padded = np.full((len(cut), max(map(len, ends))), np.inf)
    for row, end in zip(padded, ends, strict=True):
        row[: len(end)] = end
    first = np.cumsum([0, *(len(origin) for origin in origins[:-1])])
    whole = torch.from_numpy(np.flatnonzero(~np.isin(column, cut)))
    return Lookup(
        torch.from_numpy(cut),
        torch.from_numpy(padded).float(),
        torch.from_numpy(first)[:, None],
        torch.from_numpy(np.concatenate(origins)).float(),
        torch.from_numpy(np.concatenate([*values, *slopes])).float(),
        Bins(*(some[whole] for some in bins.tensors)),
        kernel.transpose(0, 1).flatten(1)[whole],
        len(kernel),
    )


def _ends(shift: Array, slope: Array, low: Array, high: Array) -> Array:
    """Return where the inputs of a column begin and end to change, ascending."""
    some = slope != 0
    reached = [shift[some] + end[some] / slope[some] for end in (low, high)]
    most = np.finfo(np.float32).max
    points = np.unique(np.clip(np.concatenate(reached), -most, most).astype(np.float32))
    least = ROUNDING * np.spacing(np.float32(np.abs(shift).max()))
    apart = np.diff(points, prepend=-np.inf) > least
    return np.asarray(points[apart], np.float64)


def _origins(ends: Array) -> Array:
    """Return c of each segment: that of its ends which is nearer to 0, (ends + 1,)."""
    left, right = np.append(ends[:1], ends), np.append(ends, ends[-1:])
    return np.where(np.abs(left) <= np.abs(right), left, right)


def _middles(ends: Array) -> Array:
    """Return a point inside each segment, (ends + 1,)."""
    outer = 2 * np.abs(ends[[0, -1]]) + 1
    inner = 0.5 * (ends[:-1] + ends[1:])
    return np.concatenate([[ends[0] - outer[0]], inner, [ends[-1] + outer[1]]])
