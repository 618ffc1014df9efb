"""Columns in the user's units, and as the network sees them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antireg.rows.stored import Stored

Array = NDArray[np.float64]

SCALINGS = ("none", "standard", "range")

LARGEST = 1e15
"""Scaled values are clipped here, so that no output of a network overflows float32."""


WIDE = 300.0
"""A column has outliers if its range is more than this many times that of its inner
98 %. Bytes that are nearly always 0 reach 255; the columns of 19 real tables 14."""

OUTLIER_LIMIT = 10.0
"""Where the scaled values of a column with outliers are clipped."""

MOST_ROWS = 1000
"""Number of rows used to find outliers: more are slow where columns are many."""

LIKE = 100.0
"""Columns share a unit if the middle 80 % of their scales are within this factor."""


@dataclass(frozen=True)
class Scaling:
    """A shift, a scale and perhaps a limit for each column, (columns,) each.

    Attributes:
        shift: Subtracted from the values.
        scale: Divides what is left.
        limit: Scaled values are clipped at plus and minus this; None for `LARGEST`.
    """

    shift: Array
    scale: Array
    limit: Array | None = None

    def scaled(self, values: Array) -> Array:
        """Return values as the network sees them, (..., columns)."""
        with np.errstate(over="ignore"):
            scaled: Array = values - self.shift
            scaled /= self.scale
            limit = LARGEST if self.limit is None else self.limit
            return np.clip(scaled, -limit, limit, out=scaled)

    def unscaled(self, values: Array) -> Array:
        """Return values in the user's units, (..., columns)."""
        return values * self.scale + self.shift


def fit_input_scaling(kind: str, values: Array | Stored) -> Scaling:
    """Return the scaling of inputs: `fit_scaling`, except for misleading columns.

    A constant column does not tell how large a change is. If the other columns are of
    similar size (pixels, or a standardised table), its scale is at least their median;
    that of a column with 98 % equal values is at least a hundredth of the median.

    If a few values stretch a column to more than `WIDE` times the range of its inner
    98 %, it is scaled by that inner range and clipped at ±`OUTLIER_LIMIT`: otherwise
    the outliers would squeeze all other values into one point.

    Args:
        kind: One of `SCALINGS`.
        values: (rows, columns).
    """
    scaling = fit_scaling(kind, values)
    if kind == "none":
        return scaling
    low, high = values.min(0).astype(np.float64), values.max(0).astype(np.float64)
    some = values[:: -(-len(values) // MOST_ROWS)].astype(np.float64)
    inner_low, inner_high = _inner(some)
    inside = inner_high - inner_low
    constant = _is_constant(low, high, high - low)
    unit = _shared_unit(scaling.scale[~constant])
    least = np.where(constant, unit, np.where(inside == 0, unit / LIKE, 0.0))
    shift, scale = scaling.shift, np.maximum(scaling.scale, least)
    wide = (inside > 0) & (high - low > WIDE * inside)
    if not wide.any():
        return Scaling(shift, scale)
    inner = fit_scaling(kind, np.clip(some, inner_low, inner_high))
    return Scaling(
        np.where(wide, inner.shift, shift),
        np.where(wide, inner.scale, scale),
        np.where(wide, OUTLIER_LIMIT, LARGEST),
    )


def _inner(values: Array) -> tuple[Array, Array]:
    """Return the ends of the inner 98 %, never the extremes, (columns,) each."""
    last = len(values) - 1
    places = [math.ceil(0.01 * last), math.floor(0.99 * last)]
    low, high = np.partition(values, places, axis=0)[places]
    return low, high


def _shared_unit(scales: Array) -> float:
    """Return the median if columns are of similar size, else 0."""
    if not scales.size:
        return 0.0
    low, middle, high = np.quantile(scales, [0.1, 0.5, 0.9])
    return float(middle) if high <= LIKE * low else 0.0


def fit_scaling(kind: str, values: Array | Stored, constant: float = 1.0) -> Scaling:
    """Return the scaling of these columns.

    "none" leaves them unchanged; "standard" gives them mean 0 and standard deviation 1;
    "range" maps their minimum to 0 and their maximum to 1. A constant column is
    shifted to zero and scaled by its own size.

    Args:
        kind: One of `SCALINGS`.
        values: (rows, columns).
        constant: Scale of a constant column, as a multiple of its size.
    """
    columns = values.shape[1]
    if kind == "none":
        return Scaling(np.zeros(columns), np.ones(columns))
    low, high = values.min(0).astype(np.float64), values.max(0).astype(np.float64)
    if kind == "standard":
        shift = values.mean(0, dtype=np.float64)
        scale = values.std(0, dtype=np.float64)
    else:
        shift, scale = low, high - low
    size = np.maximum(np.abs(low), np.abs(high))
    own = constant * np.where(size > 0, size, 1.0)
    return Scaling(shift, np.where(_is_constant(low, high, scale), own, scale))


def _is_constant(low: Array, high: Array, scale: Array) -> NDArray[np.bool_]:
    """Return which columns vary by no more than rounding, (columns,)."""
    return scale <= 1e-12 * np.maximum(np.abs(low), np.abs(high))
