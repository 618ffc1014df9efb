"""Columns in the user's units, and as the network sees them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antireg.data.stored import Stored

Array = NDArray[np.float64]

SCALINGS = ("none", "standard", "range")

LARGEST = 1e15
"""Scaled values are cut here, so that no output of a network overflows float32."""


@dataclass(frozen=True)
class Scaling:
    """A shift and a scale for each column, (columns,) each."""

    shift: Array
    scale: Array

    def scaled(self, values: Array) -> Array:
        """Return values as the network sees them, (..., columns)."""
        with np.errstate(over="ignore"):
            scaled: Array = values - self.shift
            scaled /= self.scale
            return np.clip(scaled, -LARGEST, LARGEST, out=scaled)

    def unscaled(self, values: Array) -> Array:
        """Return values in the user's units, (..., columns)."""
        return values * self.scale + self.shift


def fit_scaling(kind: str, values: Array | Stored, constant: float = 1.0) -> Scaling:
    """Return the scaling of these columns.

    "none" leaves them alone; "standard" gives them mean 0 and standard deviation 1;
    "range" takes their minimum to 0 and their maximum to 1. A constant column is
    shifted to zero and scaled by its own size.

    Args:
        kind: One of `SCALINGS`.
        values: (rows, columns).
        constant: Part of its size by which a constant column is scaled.
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
    return Scaling(shift, np.where(scale <= 1e-12 * size, own, scale))
