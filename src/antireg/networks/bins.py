"""Columns cut into bins, so that members can bend where a column does.

A column of more than two values becomes itself, standardised, and one input for each of
its bins [b_k, b_k+1], which lie between quantiles of the training rows,

    ¼ · clip((x − b_k) / (b_k+1 − b_k), 0, 1).

Members fit jumps and steep places with them that they would need many more steps for,
and the plain column carries what is linear, outside the seen values too.

References:
    Gorishniy, Rubachev, Babenko, "On Embeddings for Numerical Features in Tabular Deep
    Learning", NeurIPS 2022 (piecewise linear encoding).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from antireg.rows.scaling import LARGEST

HEIGHT = 0.25
"""Of a bin's input. The bins of a column together would drown the column itself."""

FEWEST_FEATURES = 50
"""So many columns of more than two values are taken for pixels or features of one kind.
A table has fewer, also if it has many columns of zeros and ones."""

NARROWEST = 1e-4
"""Width of a bin, as a share of the column's range: narrower ones meet rounding."""


@dataclass(frozen=True, eq=False)
class Bins:
    """The inputs that columns become,  clip((x − shift) · slope, low, high).

    Attributes:
        column: Which column each input is made of, (inputs,).
        shift: (inputs,).
        slope: (inputs,).
        low: (inputs,).
        high: (inputs,).
    """

    column: Tensor
    shift: Tensor
    slope: Tensor
    low: Tensor
    high: Tensor

    def __len__(self) -> int:
        """Return the number of inputs."""
        return len(self.column)

    @property
    def is_bin(self) -> Tensor:
        """Which inputs are bins, not columns as they are, (inputs,)."""
        return self.high == HEIGHT  # that of a plain column is `LARGEST`

    @property
    def tensors(self) -> list[Tensor]:
        """All that it is."""
        return [self.column, self.shift, self.slope, self.low, self.high]

    def to(self, device: torch.device) -> Bins:
        """Return the same on a device."""
        return Bins(*(values.to(device) for values in self.tensors))

    def __call__(self, x: Tensor) -> Tensor:
        """Return the inputs of rows, (..., inputs, rows); x is (..., columns, rows)."""
        shift, slope, low, high = (values[:, None] for values in self.tensors[1:])
        made = x.index_select(-2, self.column)
        # Bounds of the whole shape are compared four times as fast as one for each row.
        ends = (end.expand(made.shape[-2:]).contiguous() for end in (low, high))
        return made.sub_(shift).mul_(slope).clamp_(*ends)

    def gradient(self, made: Tensor, gradient: Tensor) -> Tensor:
        """Return the gradient of the columns, (..., columns, rows).

        Args:
            made: The inputs of rows, (..., inputs, rows).
            gradient: Theirs, of the same shape.
        """
        slope, low, high = (values[:, None] for values in self.tensors[2:])
        inside = (made > low) & (made < high)
        through = torch.where(inside, gradient * slope, 0.0)
        shape = [*made.shape[:-2], int(self.column.max()) + 1, made.shape[-1]]
        return through.new_zeros(shape).index_add_(-2, self.column, through)


def fit_bins(values: NDArray[np.float32], n_bins: int) -> Bins:
    """Return the bins of columns.

    A column of as many values as bins, or fewer, has a bin between any two of them, and
    one of two values or fewer has none.

    Args:
        values: Training rows as the network sees them, (rows, columns).
        n_bins: Of each column, at most.
    """
    parts = []
    for number, column in enumerate(values.T.astype(np.float64)):
        edges = _edges(column, n_bins)
        if len(edges) < 3:
            parts.append([(number, 0.0, 1.0, -LARGEST, LARGEST)])
            continue
        plain = number, column.mean(), 1 / column.std(), -LARGEST, LARGEST
        widths = np.diff(edges)
        cut = zip(edges, HEIGHT / widths, strict=False)
        parts.append([plain, *((number, b, slope, 0.0, HEIGHT) for b, slope in cut)])
    column, *rest = np.array([row for part in parts for row in part]).T
    floats = [torch.from_numpy(numbers).float() for numbers in rest]
    return Bins(torch.from_numpy(column).long(), *floats)


def has_features(values: NDArray[np.floating]) -> bool:
    """Return whether rows are pixels or features of one kind, not those of a table.

    Args:
        values: (rows, columns).
    """
    return bool(_has_many_values(values).sum() >= FEWEST_FEATURES)


def _has_many_values(values: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Return which columns have more than two values, (columns,)."""
    return np.asarray(((values > values.min(0)) & (values < values.max(0))).any(0))


def _edges(column: NDArray[np.float64], n_bins: int) -> NDArray[np.float64]:
    """Return the ends of bins, ascending; of two values or fewer, these values."""
    known = np.unique(column)
    if len(known) > n_bins + 1:
        known = np.unique(np.quantile(column, np.linspace(0, 1, n_bins + 1)))
    least = NARROWEST * (known[-1] - known[0])
    kept = [known[0]]
    for edge in known[1:]:
        if edge - kept[-1] >= least:
            kept.append(edge)
    return np.array(kept)
