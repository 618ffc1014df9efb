"""The exact quantile of a mixture of Gaussians, to the precision of floats.

Nearly all rows need only Newton's method in float32 and one step in float64, which
leaves an error of about 1e-14 of the narrowest member. Where that step is not short
enough, more steps follow, and then a search over the floats themselves.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from torch import Tensor

from antireg.predictive.values import Array
from antireg.process import one_thread

Ranks = NDArray[np.int64]

CHUNK_NUMBERS = 2**17
"""Member values to process at a time: few enough to stay in the processor's cache."""

LARGEST = np.finfo(np.float64).max
FIRST_STEPS = 3
MOST_STEPS = 16
CLOSE = 1e-5
"""A step this short, in deviations of the narrowest member, is the last: the remaining
error is of the order of its cube."""

ROOT = math.sqrt(0.5)


@one_thread()
def mixture_quantile(means: Array, stds: Array, levels: ArrayLike) -> Array:
    """Return the least y of  (1/M) Σ_m Φ((y − μ_m)/σ_m) ≥ level,  for every level.

    Args:
        means: μ_m, (members, rows, outputs).
        stds: σ_m, (members, rows, outputs); 0 is a point mass.
        levels: Between 0 and 1, (levels,).

    Returns:
        (levels, rows, outputs).
    """
    p = np.asarray(levels, dtype=np.float64)
    members, shape = len(means), means.shape[1:]
    means, stds = means.reshape(members, -1), stds.reshape(members, -1)
    if members == 1:
        found = means + ndtri(p)[:, None] * stds
        return np.asarray(found.reshape(-1, *shape) + 0.0)  # no −0.0
    found = np.empty((len(p), means.shape[1]))
    n_columns = max(1, CHUNK_NUMBERS // (members * len(p)))
    for first in range(0, found.shape[1], n_columns):
        part = slice(first, first + n_columns)
        found[:, part] = _found(means[:, part], stds[:, part], p)
    return found.reshape(-1, *shape) + 0.0


def standardised(y: Array, means: Array, stds: Array) -> Array:
    """Return (y − μ_m)/σ_m, with +inf at and above a point mass, −inf below it."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z: Array = (y - means) / stds
    z[np.isnan(z)] = np.inf
    return z


@one_thread()
def normal_cdf(z: Array) -> Array:
    """Return  Φ(z) = ½ erfc(−z/√2),  of any shape.

    PyTorch's erfc takes a tenth of the time of SciPy's ndtr.
    """
    x = torch.from_numpy(z * -ROOT)
    cdf: Array = torch.erfc(x, out=x).mul_(0.5).numpy()
    return cdf


def _found(means: Array, stds: Array, levels: Array) -> Array:
    """Return the quantiles of some columns, (levels, columns)."""
    mu, sigma = torch.from_numpy(means)[:, None], torch.from_numpy(stds)[:, None]
    y = _start(mu, sigma, levels)
    _, newton, step = _steps(
        y, mu, sigma.reciprocal(), torch.from_numpy(levels)[:, None]
    )
    unsure = ~(newton.abs_() <= CLOSE * sigma.amin(0)).numpy()  # so for NaN too
    found: Array = (y + step).numpy()
    if unsure.any():
        level, column = np.nonzero(unsure)
        start = y.numpy()[unsure]
        found[unsure] = _guarded(
            means.take(column, 1), stds.take(column, 1), levels[level], start
        )
    return found


def _start(mu: Tensor, sigma: Tensor, levels: Array) -> Tensor:
    """Return values near the quantiles, in float32, (levels, columns).

    Newton's method on Φ⁻¹ of the cdf, which is a straight line where members agree,
    starting from the quantile of a Gaussian with the same mean and variance. Every row
    is standardised by these.
    """
    members = len(mu)
    mean = _total(mu).div_(members)
    away = mu - mean
    std = _total(torch.addcmul(sigma * sigma, away, away)).div_(members).sqrt_()
    a, b = away.div_(std).float(), (std / sigma).mul_(ROOT).float()
    u = torch.from_numpy(ndtri(levels) * ROOT).float()[:, None]
    corners = a + u / b
    low, high = corners.amin(0), corners.amax(0)
    t = (u / ROOT).clamp(low, high)
    z, density = torch.empty_like(corners), torch.empty_like(corners)
    for _ in range(FIRST_STEPS):
        torch.sub(t, a, out=z).mul_(b)
        torch.mul(z, z, out=density).neg_().exp_().mul_(b)
        reached = _total(z.erf_()).div_(members).clamp_(-0.9999999, 0.9999999).erfinv_()
        slope = _total(density).mul_(reached.square().exp_())
        t.add_((u - reached).div_(slope), alpha=members).clamp_(low, high)
    return t.double().mul_(std).add_(mean)


def _steps(
    y: Tensor, mu: Tensor, inverse: Tensor, levels: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return level − cdf(y), and the steps of Newton and of Halley.

    Args:
        y: Of any shape.
        mu: The same shape with a first axis of members.
        inverse: 1/σ_m, like `mu`.
        levels: Like `y`.
    """
    z = (y - mu).mul_(inverse)
    density = (z * z).mul_(-0.5).exp_().mul_(inverse)
    slope = _total(density)
    bend = _total(density.mul_(z).mul_(inverse))
    missing = levels - _total(z.mul_(-ROOT).erfc_()).mul_(0.5 / len(mu))
    newton = (missing * (len(mu) * math.sqrt(2 * math.pi))).div_(slope)
    curved = (newton * bend).div_(slope).mul_(0.5).clamp_(-0.5, 0.5)
    return missing, newton, newton / curved.neg_().add_(1)


def _guarded(means: Array, stds: Array, levels: Array, start: Array) -> Array:
    """Search between the least and the greatest member quantile, (columns,)."""
    corners = torch.from_numpy(means + ndtri(levels) * stds)
    low, high = corners.amin(0), corners.amax(0)
    mu, sigma, p = (torch.from_numpy(values) for values in (means, stds, levels))
    y = torch.from_numpy(start)
    y = torch.where((y >= low) & (y <= high), y, 0.5 * low + 0.5 * high)
    found, columns = np.empty(len(start)), np.arange(len(start))
    for _ in range(MOST_STEPS):
        missing, newton, step = _steps(y, mu, sigma.reciprocal(), p)
        low, high = torch.where(missing > 0, y, low), torch.where(missing > 0, high, y)
        better = y + step
        inside = (better >= low) & (better <= high)  # false for NaN
        y = torch.where(inside, better, 0.5 * low + 0.5 * high)
        found[columns] = y.numpy()
        going = ~(inside & (newton.abs() <= CLOSE * sigma.amin(0)))
        columns = columns[going.numpy()]
        mu, sigma = mu[:, going], sigma[:, going]
        p, y, low, high = p[going], y[going], low[going], high[going]
    if len(columns):
        found[columns] = _search(
            means.take(columns, 1), stds.take(columns, 1), levels[columns]
        )
    return found


def _search(means: Array, stds: Array, levels: Array) -> Array:
    """Search by bisection over the floats, (columns,).

    Halving the *count* of floats in between, not their distance, takes at most 64
    steps to the last digit, whatever the scales and however steep the cdf.
    """
    corners: Array = means + ndtri(levels) * stds
    low, high = (_order(end.view(np.int64)) for end in (corners.min(0), corners.max(0)))
    # Where rounding hides a std beside its mean, the next float is the answer.
    high = np.minimum(high + 2, _order(np.array(LARGEST).view(np.int64)))
    while np.any(low < high):
        middle = (low & high) + ((low ^ high) >> 1)
        y = _order(middle).view(np.float64)
        cdf = torch.from_numpy(normal_cdf(standardised(y, means, stds)))
        reached = _total(cdf).numpy() >= levels * len(means)
        high = np.where(reached, middle, high)
        low = np.where(reached, low, np.minimum(middle + 1, high))
    return _order(high).view(np.float64)


def _order(bits: Ranks) -> Ranks:
    """Turn the bits of floats into their rank among all floats, or ranks into bits."""
    return bits ^ ((bits >> 63) & np.iinfo(np.int64).max)


def _total(values: Tensor) -> Tensor:
    """Return the sum over members, always added in the same order."""
    total = values[0].clone()
    for value in values[1:]:
        total += value
    return total
