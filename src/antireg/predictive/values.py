"""What members say, as finite numbers: (members, rows, outputs)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

LARGEST = float(np.finfo(np.float64).max)


def member_values(values: ArrayLike, name: str) -> Array:
    """Return values as finite float64, ±inf as the largest float; same shape."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 3 or array.size == 0:
        raise ValueError(
            f"{name} must be (members, rows, outputs), none of them 0, got shape "
            f"{array.shape}. For a single member, use values[None]."
        )
    if np.isnan(array).any():
        raise ValueError(
            f"{name} must not hold NaN, got {np.isnan(array).sum()} of them. "
            "Look for NaN in the inputs, or for a training that diverged."
        )
    return np.clip(array, -LARGEST, LARGEST)


def mean_over_members(values: Array) -> Array:
    """Return the mean over members; the sum of a million values does not overflow."""
    with np.errstate(over="ignore"):
        mean: Array = (values * 2.0**-20).mean(axis=0) * 2.0**20
    return np.minimum(mean, LARGEST)
