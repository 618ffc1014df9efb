"""What an ensemble says of amounts whose logarithms it was trained on.

If log y is N(μ, σ²), then y has the mean exp(μ + σ²/2) and the variance
(exp(σ²) − 1) exp(2μ + σ²). Far from the data, where σ only says that nothing is known,
that mean would be of any size. So for mean and variance, and for nothing else, μ is at
most 4 standard deviations of the training logarithms above their mean, and σ at most 2.
Results are finite: an overflow gives a very large number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from antireg.predictive.mixture import GaussianMixture
from antireg.predictive.values import LARGEST, Array

HIGHEST, WIDEST = 4.0, 2.0
"""Bounds of μ and σ for the moments, in standard deviations of training logarithms."""


class Limits(NamedTuple):
    """Bounds of μ and of σ², for the moments, (targets,) each."""

    mean: Array
    variance: Array


def limits_of(mean: Array, std: Array) -> Limits:
    """Return the bounds, from mean and standard deviation of training logarithms."""
    return Limits(mean + HIGHEST * std, np.square(WIDEST * std))


@dataclass(frozen=True, eq=False)
class LogNormalMixture:
    """The mixture of y, if that of log y is a mixture of Gaussians.

    Args:
        logs: Of log y.
        limits: Of members for the moments; None for none.

    Examples:
        >>> import numpy as np
        >>> from antireg import GaussianMixture, LogNormalMixture
        >>> logs = GaussianMixture(np.zeros((1, 1, 1)), np.ones((1, 1, 1)))
        >>> round(LogNormalMixture(logs).mean.item(), 3)
        1.649
    """

    logs: GaussianMixture
    limits: Limits | None = None

    def at(self, rows: Any) -> LogNormalMixture:
        """Return the mixture of some rows, given by anything that indexes them."""
        return LogNormalMixture(self.logs.at(rows), self.limits)

    @property
    def weights(self) -> Array | None:
        """Of the members, (members, rows, 1); None if all are alike."""
        return self.logs.weights

    @property
    def mean(self) -> Array:
        """The mean of the mixture, (rows, outputs)."""
        return self.logs._average(self._means)

    @property
    def aleatoric(self) -> Array:
        """The noise the members report, the mean of their variances."""
        with np.errstate(over="ignore"):
            growth = np.expm1(self._bounded[1])
            variances = growth * np.square(self._means)
        return self.logs._average(np.minimum(variances, LARGEST))

    @property
    def epistemic(self) -> Array:
        """How far the members' means disagree, (rows, outputs)."""
        with np.errstate(over="ignore"):
            apart = np.square(self._means - self.mean)
        return self.logs._average(np.minimum(apart, LARGEST))

    @property
    def variance(self) -> Array:
        """The variance of the mixture, aleatoric + epistemic, (rows, outputs)."""
        with np.errstate(over="ignore"):
            return np.minimum(self.aleatoric + self.epistemic, LARGEST)

    @property
    def std(self) -> Array:
        """The standard deviation of the mixture, (rows, outputs)."""
        return np.sqrt(self.variance)

    def cdf(self, y: ArrayLike) -> Array:
        """Return the probability of a value of at most y, (rows, outputs)."""
        return self.logs.cdf(_log(y))

    def log_density(self, y: ArrayLike) -> Array:
        """Return the logarithm of the density at y, (rows, outputs).

        What is not above 0 has none: its logarithm is then the least there is.
        """
        logs = _log(y)
        density = self.logs.log_density(logs)
        with np.errstate(over="ignore"):
            return np.where(logs > -LARGEST, density - logs, -LARGEST)

    def quantile(self, level: float | Sequence[float] | Array) -> Array:
        """Return the exact quantile: as `GaussianMixture.quantile` does."""
        return exponential(self.logs.quantile(level))

    def interval(self, coverage: float) -> tuple[Array, Array]:
        """Return both ends of the central interval with that probability."""
        low, high = self.logs.interval(coverage)
        return exponential(low), exponential(high)

    def sample(
        self, n_samples: int, random_state: int | np.random.Generator | None = None
    ) -> Array:
        """Draw from the mixture, (n_samples, rows, outputs)."""
        return exponential(self.logs.sample(n_samples, random_state))

    @property
    def _means(self) -> Array:
        """Of the members, (members, rows, outputs)."""
        with np.errstate(over="ignore"):
            means, variances = self._bounded
            return exponential(means + 0.5 * variances)

    @property
    def _bounded(self) -> tuple[Array, Array]:
        """μ and σ² of the members, as they count for the moments."""
        means, variances = self.logs.means, self.logs.variances
        if self.limits is None:
            return means, variances
        return (
            np.minimum(means, self.limits.mean),
            np.minimum(variances, self.limits.variance),
        )


def exponential(values: Array) -> Array:
    """Return the exponential, at most the largest float."""
    with np.errstate(over="ignore"):
        return np.minimum(np.exp(values), LARGEST)


def _log(y: ArrayLike) -> Array:
    """Return log y, very small for what is not above 0, which has no probability."""
    y = np.asarray(y, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.isnan(y), np.nan, np.where(y > 0, np.log(y), -LARGEST))
