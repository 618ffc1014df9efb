"""A straight line through the training rows: the simplest answer that looks at a row.

Where targets move along with the inputs, it is nearer to unfamiliar rows than a
constant is. It stands beside the constant, as it may be wrong by more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.neighbours import Array

MOST_COLUMNS = 256
"""With more, a line takes too long, and too many rows, to learn."""

MOST_ROWS = 10_000
"""Rows that a line is learned from; of more, so many are drawn."""

ROOM = 0.5
"""How far beyond the seen targets it may go, as a share of their range."""

STRENGTHS = np.logspace(-4, 1, 11)
"""Candidates of the ridge penalty, for each row."""

SMALLEST = 1e-9
"""Deviation of a column that is taken for a constant; least share of variance, and of
degrees of freedom, that is left."""


class Fallback(NamedTuple):
    """What is said of rows instead of the members' answers.

    Both are (rows, targets), or (targets,) if they are the same for all rows.
    """

    mean: Array
    variance: Array


def joined_fallback(parts: Sequence[Fallback | None]) -> Fallback | None:
    """Return what is said of the rows of all parts; None if a part has no line."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    means, variances = zip(*known, strict=True)
    return Fallback(np.concatenate(means), np.concatenate(variances))


@dataclass(frozen=True, eq=False)
class Line:
    """The straight line  clip(x · weights + shift, low, high).

    Attributes:
        weights: (columns, targets).
        shift: (targets,) like all below.
        low: The least it says.
        high: The most it says.
        variance: Of new rows around it.
    """

    weights: Array
    shift: Array
    low: Array
    high: Array
    variance: Array

    def __call__(self, inputs: NDArray[np.floating]) -> Array:
        """Return what it says of rows, (rows, targets)."""
        with np.errstate(over="ignore"):
            said = inputs.astype(np.float64) @ self.weights + self.shift
        return np.asarray(np.clip(said, self.low, self.high))

    def said(self, inputs: NDArray[np.floating]) -> Fallback:
        """Return the same, with the variance of new rows around it."""
        mean = self(inputs)
        return Fallback(mean, np.broadcast_to(self.variance, mean.shape))


def fit_line(inputs: NDArray[np.floating], y: Array, weight: Array) -> Line:
    """Return the ridge regression of least generalised cross-validation error.

    If λ_k are the eigenvalues of the correlations of the columns, a penalty a takes
    df = 1 + Σ λ_k / (λ_k + a) of n degrees of freedom, and the error is the mean
    squared residual over (1 − df/n)², where n = (Σ weight)² / Σ weight².

    Args:
        inputs: As the network sees them, (rows, columns).
        y: Targets, (rows, targets).
        weight: How much each row counts, (rows,).

    References:
        Golub, Heath, Wahba, "Generalized Cross-Validation as a Method for Choosing a
        Good Ridge Parameter", Technometrics 1979.
    """
    share = (weight / weight.sum())[:, None]
    n_rows = 1 / float(np.square(share).sum())
    x = inputs.astype(np.float64)
    middle, mean = (share * x).sum(axis=0), (share * y).sum(axis=0)
    scale = np.sqrt((share * np.square(x - middle)).sum(axis=0))
    z = np.where(scale > SMALLEST, (x - middle) / np.maximum(scale, SMALLEST), 0.0)
    away = y - mean
    found, axes = np.linalg.eigh(z.T @ (share * z))
    values = np.maximum(found, 0.0)[:, None, None]
    along = (axes.T @ (z.T @ (share * away)))[:, None]
    total = (share * np.square(away)).sum(axis=0)
    # Axes are first, then strengths, then targets.
    kept = values + STRENGTHS[:, None]
    rss = total - (np.square(along) * (values + 2 * STRENGTHS[:, None]) / kept**2).sum(
        0
    )
    freedom = 1 - (1 + (values / kept).sum(axis=0)) / n_rows
    error = np.maximum(rss, 0.0) / np.square(np.maximum(freedom, SMALLEST))
    best = np.argmin((error / np.maximum(total, np.finfo(float).tiny)).mean(axis=1))
    slopes = axes @ (along[:, 0] / (values[:, 0] + STRENGTHS[best]))
    weights = np.where(scale > SMALLEST, 1 / np.maximum(scale, SMALLEST), 0.0)
    weights = weights[:, None] * slopes
    low, high = y.min(axis=0), y.max(axis=0)
    room = ROOM * (high - low)
    return Line(
        weights,
        mean - middle @ weights,
        low - room,
        high + room,
        np.clip(error[best], SMALLEST * total, total) + np.finfo(float).tiny,
    )
