"""The exact quantile of a mixture of Gaussians, to the last digit of a float."""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import ndtri

Array = NDArray[np.float64]
Ranks = NDArray[np.int64]

CHUNK_NUMBERS = 2**16
"""Member values searched at a time: they stay in the processor's cache."""

LARGEST = np.finfo(np.float64).max
NEWTON_STEPS = 6
NEAR = 2**4
"""Floats to each side of Newton's end that are tried first."""


def mixture_quantile(means: Array, stds: Array, level: float) -> Array:
    """Return the least y of  (1/M) Σ_m Φ((y − μ_m)/σ_m) ≥ level,  (rows, outputs).

    Args:
        means: μ_m, (members, rows, outputs).
        stds: σ_m, (members, rows, outputs); 0 is a point mass.
        level: Between 0 and 1.
    """
    members, shape = len(means), means.shape[1:]
    means, stds = means.reshape(members, -1), stds.reshape(members, -1)
    found = np.empty(means.shape[1])
    n_columns = max(1, CHUNK_NUMBERS // members)
    for first in range(0, len(found), n_columns):
        part = slice(first, first + n_columns)
        found[part] = _search(means[:, part], stds[:, part], level)
    return found.reshape(shape)


def standardised(y: Array, means: Array, stds: Array) -> Array:
    """Return (y − μ_m)/σ_m, with +inf at and above a point mass, −inf below it."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z: Array = (y - means) / stds
    z[np.isnan(z)] = np.inf
    return z


def normal_cdf(z: Array) -> Array:
    """Return  Φ(z) = ½ erfc(−z/√2),  of any shape.

    PyTorch's erfc takes a tenth of the time of SciPy's ndtr.
    """
    x = torch.from_numpy(z * -math.sqrt(0.5))
    cdf: Array = torch.erfc(x, out=x).mul_(0.5).numpy()
    return cdf


def _search(means: Array, stds: Array, level: float) -> Array:
    """Search between the least and the greatest member quantile, (columns,).

    Halving the *count* of floats in between, not their distance, takes at most 64
    steps to the last digit, whatever the scales and however steep the cdf. Newton's
    method, from inside the same bounds, saves most of them.
    """
    corners: Array = means + ndtri(level) * stds
    if len(corners) == 1:
        return np.asarray(corners[0] + 0.0)  # no −0.0
    low, high = (_order(end.view(np.int64)) for end in (corners.min(0), corners.max(0)))
    # Where a std is lost in the rounding of a corner, the next float is the one.
    high = np.minimum(high + 2, _order(np.array(LARGEST).view(np.int64)))
    near = _order(_newton(means, stds, level, corners.min(0), corners.max(0)))
    tries = [np.clip(near - NEAR, low, high), np.clip(near + NEAR, low, high)]
    found, columns = high.copy(), np.arange(len(high))
    while len(columns):
        middle = tries.pop() if tries else (low & high) + ((low ^ high) >> 1)
        y = _order(middle).view(np.float64)
        reached = normal_cdf(standardised(y, means, stds)).mean(axis=0) >= level
        high = np.where(reached, np.minimum(high, middle), high)
        low = np.where(reached, low, np.maximum(low, middle + 1))
        found[columns] = high
        going = low < high
        if not tries and going.sum() < 0.5 * len(going):
            low, high, columns = low[going], high[going], columns[going]
            # Not means[:, going]: it changes the order in memory, and so that of sums.
            means, stds = means.compress(going, 1), stds.compress(going, 1)
    return _order(found).view(np.float64) + 0.0


def _newton(means: Array, stds: Array, level: float, low: Array, high: Array) -> Ranks:
    """Return the bits of a y near the quantile, or of any y between the bounds."""
    y = 0.5 * low + 0.5 * high
    with np.errstate(all="ignore"):
        for _ in range(NEWTON_STEPS):
            z = standardised(y, means, stds)
            missing = level - normal_cdf(z).mean(axis=0)
            low, high = np.where(missing > 0, y, low), np.where(missing > 0, high, y)
            slope = (np.exp(-0.5 * z * z) / stds).mean(axis=0) / np.sqrt(2 * np.pi)
            better = y + missing / slope
            inside = (better >= low) & (better <= high)  # false for NaN
            y = np.where(inside, better, 0.5 * low + 0.5 * high)
    return y.view(np.int64)


def _order(bits: Ranks) -> Ranks:
    """Turn the bits of floats into their rank among all floats, or ranks into bits."""
    return bits ^ ((bits >> 63) & np.iinfo(np.int64).max)
