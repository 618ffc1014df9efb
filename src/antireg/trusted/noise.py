"""How far targets are from what a model says, by rows it was not fitted on.

The variance of a target is

    σ²(x) = ε σ₀² + (1 − ε) e^η(x),    η(x) = h(μ(x)) + s · log(δ(x)² + φ²),

where σ₀² is the mean squared residual, μ is what the model says, h is straight between
five quantiles of μ, and δ is the deviation that the model reports itself, cut to the
range it had on those rows; s is 0 if it reports none. φ is a thousandth of σ₀. Heights
and slope have the least negative log-likelihood, with a weak pull towards a constant.

ε is a guard. Since σ² ≥ ε σ₀², a row that is off by 3 σ₀ costs at most 9 (1/ε − 1) / 2
more than with the noise σ₀² for all rows. If it is the only such row of n/10, and G is
what the curve gains over σ₀² for all rows (its parameters / n taken off), these rows
are worse by at most

    9 (1/ε − 1) / (2 · n/10) − G  ≤  0.05

in the mean. ε is the least share for which this holds, so n decides how small a noise
may be: few rows cannot show that it is never larger.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from antireg.trusted.answers import Answer

Array = NDArray[np.float64]

N_KNOTS = 5
PULL = 3.0
"""How much a squared step away from a constant costs, in rows."""

WORST = 9.0
"""(y − μ)² / σ₀² of the row that the guard is for, where the noise is least."""

PART = 0.1
"""Share of the rows that has one such row."""

MOST_WORSE = 0.05
"""By how much the mean negative log-likelihood of that part may exceed that of σ₀²."""

MOST_FITS = 6
"""Of the curve, each with the share that the gain of the last one allows."""

FLOOR = 1e-3
LARGEST_LOG = 30.0
"""Variances are within e^±30 of the mean squared residual."""


@dataclass(frozen=True, eq=False)
class Curve:
    """The noise of one target.

    Attributes:
        knots: Values of μ, ascending, (knots,).
        heights: h there, (knots,).
        slope: s.
        floor: φ.
        low: The least log(δ² + φ²), less is cut.
        high: The most.
        common: ε σ₀², which all rows have.
    """

    knots: Array
    heights: Array
    slope: float = 0.0
    floor: float = 1.0
    low: float = 0.0
    high: float = 0.0
    common: float = 0.0

    def __call__(self, mean: Array, deviation: Array | None) -> Array:
        """Return σ², (rows,).

        Args:
            mean: μ, (rows,).
            deviation: δ, (rows,), if the model reports it.
        """
        logarithm = np.interp(mean, self.knots, self.heights)
        if deviation is not None and self.slope:
            reported = np.log(np.square(deviation) + self.floor**2)
            logarithm += self.slope * np.clip(reported, self.low, self.high)
        return np.asarray(self.common + np.exp(logarithm))


@dataclass(frozen=True, eq=False)
class Noise:
    """The noise of all targets.

    Attributes:
        curves: One for each.
    """

    curves: tuple[Curve, ...]

    def __call__(self, answer: Answer) -> Array:
        """Return σ², (rows, targets)."""
        given = answer.deviation
        columns = [
            curve(answer.values[:, j], None if given is None else given[:, j])
            for j, curve in enumerate(self.curves)
        ]
        return np.stack(columns, axis=1)


def fit_noise(answer: Answer, y: Array, weight: Array, least: Array) -> Noise:
    """Return the noise of least negative log-likelihood.

    Args:
        answer: What the model says of rows that it was not fitted on.
        y: What is true of them, (rows, targets).
        weight: How much each counts, (rows,).
        least: The least mean variance of each target, (targets,).
    """
    given = answer.deviation
    return Noise(
        tuple(
            fit_curve(
                answer.values[:, j],
                None if given is None else given[:, j],
                np.square(y[:, j] - answer.values[:, j]),
                weight,
                float(least[j]),
            )
            for j in range(y.shape[1])
        )
    )


def fit_curve(
    mean: Array, deviation: Array | None, squared: Array, weight: Array, least: float
) -> Curve:
    """Return the noise of one target.

    Args:
        mean: μ, (rows,).
        deviation: δ, (rows,), if the model reports it.
        squared: (y − μ)², (rows,).
        weight: How much each row counts, (rows,).
        least: The least mean variance.
    """
    level = max(float(np.average(squared, weights=weight)), least)
    knots = np.unique(np.quantile(mean, np.linspace(0, 1, N_KNOTS)))
    features = [np.interp(mean, knots, row) for row in np.eye(len(knots))]
    floor, low, high, centre, width = FLOOR * np.sqrt(level), 0.0, 0.0, 0.0, 0.0
    if deviation is not None:
        reported = np.log(np.square(deviation) + floor**2)
        low, high = float(reported.min()), float(reported.max())
        centre, width = float(reported.mean()), float(reported.std())
    if deviation is not None and width > 0:
        features.append((reported - centre) / width)
    columns = np.stack([np.ones(len(mean)), *features], axis=1)
    found, share = _guarded(columns, squared / level, weight / weight.mean())
    heights, slope = found[0] + found[1 : len(knots) + 1], 0.0
    if len(features) > len(knots):
        slope = float(found[-1]) / width
        heights = heights - slope * centre
    heights = heights + np.log((1 - share) * level)
    return Curve(knots, heights, slope, float(floor), low, high, common=share * level)


def guard_share(gain: float, n_rows: float) -> float:
    """Return ε, the least share of σ₀² in every noise.

    Args:
        gain: G, by how much the curve lowers the mean negative log-likelihood.
        n_rows: n, how many rows show it.
    """
    allowed = MOST_WORSE + max(gain, 0.0)
    return 1 / (1 + 2 * allowed * PART * n_rows / WORST)


def _guarded(columns: Array, squared: Array, weight: Array) -> tuple[Array, float]:
    """Return b as `_least` does, (columns,), and ε.

    A smaller ε allows a larger gain, and this a smaller ε: from G = 0 on, each of them
    keeps the bound, as what the next one gains is no less than what allowed it.
    """
    n_rows = weight.sum() ** 2 / np.square(weight).sum()
    found, gain = np.zeros(columns.shape[1]), 0.0
    for _ in range(MOST_FITS):
        share = guard_share(gain, n_rows)
        found = _least(columns, squared, weight, share, found)
        variance = share + (1 - share) * np.exp(columns @ found)
        better = 0.5 * (squared - squared / variance - np.log(variance))
        gain = np.average(better, weights=weight) - (len(found) - 1) / n_rows
    return found, share


def _least(
    columns: Array, squared: Array, weight: Array, share: float, start: Array
) -> Array:
    """Return b of least  mean ½(r / v + log v) + pull, (columns,).

    Here  v = ε + (1 − ε) e^η,  η = columns · b.
    """
    n_rows = len(squared)

    def loss(b: Array) -> tuple[float, Array]:
        own = (1 - share) * np.exp(np.clip(columns @ b, -LARGEST_LOG, LARGEST_LOG))
        variance = share + own
        ratio = squared / variance
        pulled = np.concatenate([[0.0], b[1:]])
        lost = 0.5 * weight @ (ratio + np.log(variance))
        slope = 0.5 * columns.T @ (weight * (1 - ratio) * own / variance)
        value = lost + 0.5 * PULL * (pulled @ pulled)
        return float(value) / n_rows, (slope + PULL * pulled) / n_rows

    bounds = [(-LARGEST_LOG, LARGEST_LOG)] * len(start)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x)
