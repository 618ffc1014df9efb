"""How far targets are from what a model says, by rows it was not fitted on.

The variance of a target is

    log σ²(x) = h(μ(x)) + s · log(δ(x)² + φ²),

where μ is what the model says, h is straight between five quantiles of μ, and δ is the
deviation that the model reports itself, cut to the range it had on those rows; s is 0
if it reports none. φ is a thousandth of the mean residual. Heights and slope have the
least negative log-likelihood, with a weak pull towards a constant.
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
    """

    knots: Array
    heights: Array
    slope: float = 0.0
    floor: float = 1.0
    low: float = 0.0
    high: float = 0.0

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
        return np.asarray(np.exp(logarithm))


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
    found = _least(columns, squared / level, weight / weight.mean())
    heights, slope = found[0] + found[1 : len(knots) + 1], 0.0
    if len(features) > len(knots):
        slope = float(found[-1]) / width
        heights = heights - slope * centre
    return Curve(knots, heights + np.log(level), slope, float(floor), low, high)


def _least(columns: Array, squared: Array, weight: Array) -> Array:
    """Return b of least  mean ½(r e^−η + η) + pull,  η = columns · b, (columns,)."""
    n_rows = len(squared)

    def loss(b: Array) -> tuple[float, Array]:
        eta = np.clip(columns @ b, -LARGEST_LOG, LARGEST_LOG)
        share = squared * np.exp(-eta)
        pulled = np.concatenate([[0.0], b[1:]])
        value = 0.5 * weight @ (share + eta) + 0.5 * PULL * (pulled @ pulled)
        slope = 0.5 * columns.T @ (weight * (1 - share)) + PULL * pulled
        return float(value) / n_rows, slope / n_rows

    start = np.zeros(columns.shape[1])
    bounds = [(-LARGEST_LOG, LARGEST_LOG)] * len(start)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x)
