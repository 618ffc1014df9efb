"""What an ensemble predicts: member values, their mean, spread and quantiles.

Results are finite: an overflow gives a very large number, never inf or NaN.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from antireg.predictive.quantile import mixture_quantile, normal_cdf, standardised
from antireg.predictive.values import LARGEST, Array, mean_over_members, member_values


@dataclass(frozen=True, eq=False)
class GaussianMixture:
    """The equal mixture of the members' Gaussians,  (1/M) Σ_m N(y; μ_m, σ_m²).

    There is one for each row and output. A variance of 0 is a point mass.

    Args:
        means: μ_m, (members, rows, outputs).
        variances: σ_m², (members, rows, outputs).
    """

    means: Array
    variances: Array

    def __post_init__(self) -> None:
        """Check both arrays and hold them as float64."""
        means = member_values(self.means, "means")
        variances = member_values(self.variances, "variances")
        if means.shape != variances.shape:
            raise ValueError(
                f"variances must have the shape of means, {means.shape}, got "
                f"{variances.shape}. Give each mean its own variance."
            )
        if variances.min() < 0:
            raise ValueError(
                f"variances must be 0 or more, got {variances.min()}. "
                "If the network puts out log σ², take its exponential first."
            )
        # Half the float range, so that the distance of two means is a float too.
        half = LARGEST / 2
        object.__setattr__(self, "means", np.clip(means, -half, half))
        object.__setattr__(self, "variances", variances)

    @property
    def mean(self) -> Array:
        """The mean μ̄ of the mixture, (rows, outputs)."""
        # Relative to the first member: members that agree give exactly their value.
        first: Array = self.means[0]
        return first + mean_over_members(self.means - first)

    @property
    def aleatoric(self) -> Array:
        """The noise the members report, mean σ_m², (rows, outputs)."""
        return mean_over_members(self.variances)

    @property
    def epistemic(self) -> Array:
        """How far the members disagree, mean (μ_m − μ̄)², (rows, outputs)."""
        with np.errstate(over="ignore"):
            return mean_over_members(np.square(self.means - self.mean))

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
        z = standardised(self._targets(y), self.means, np.sqrt(self.variances))
        return mean_over_members(normal_cdf(z))

    def log_density(self, y: ArrayLike) -> Array:
        """Return  log (1/M) Σ_m N(y; μ_m, σ_m²),  including 2π, (rows, outputs)."""
        if self.variances.min() == 0:
            raise ValueError("variances must be above 0 here, got 0. Use cdf instead.")
        z = standardised(self._targets(y), self.means, np.sqrt(self.variances))
        with np.errstate(over="ignore"):
            exponents = -0.5 * (z**2 + np.log(self.variances) + np.log(2 * np.pi))
        total = np.logaddexp.reduce(np.maximum(exponents, -LARGEST), axis=0)
        return np.asarray(total - np.log(len(self.means)))

    def quantile(self, level: float | Sequence[float] | Array) -> Array:
        """Return the exact quantile of the mixture: the least y with cdf(y) ≥ level.

        One level gives (rows, outputs), a sequence of them (levels, rows, outputs).
        """
        levels = np.asarray(level, dtype=np.float64)
        valid = levels.size > 0 and np.all((levels > 0) & (levels < 1))
        if levels.ndim > 1 or not valid:
            raise ValueError(
                "level must be one or several numbers strictly between 0 and 1, "
                f"got {level}. For the 95 % quantile, use 0.95."
            )
        stds = np.sqrt(self.variances)
        found = mixture_quantile(self.means, stds, levels.reshape(-1))
        return found.reshape(*levels.shape, *found.shape[1:])

    def interval(self, coverage: float) -> tuple[Array, Array]:
        """Return both ends of the central interval with that probability.

        On each side of it lies (1 − coverage)/2; each end is (rows, outputs).
        """
        if not 0 < coverage < 1:
            raise ValueError(
                f"coverage must be strictly between 0 and 1, got {coverage}. "
                "For the central 95 % interval, use 0.95."
            )
        ends = self.quantile([(1 - coverage) / 2, (1 + coverage) / 2])
        return ends[0], ends[1]

    def sample(
        self, n_samples: int, random_state: int | np.random.Generator | None = None
    ) -> Array:
        """Draw from the mixture, (n_samples, rows, outputs).

        Each draw of a row picks one member for all its outputs.
        """
        rng = np.random.default_rng(random_state)
        n_members, n_rows, n_outputs = self.means.shape
        rows = np.arange(n_rows)
        member = rng.integers(n_members, size=(n_samples, n_rows))
        noise = rng.standard_normal((n_samples, n_rows, n_outputs))
        stds = np.sqrt(self.variances[member, rows])
        return np.asarray(self.means[member, rows] + stds * noise)

    def _targets(self, y: ArrayLike) -> Array:
        y = np.asarray(y, dtype=np.float64)
        if y.shape != self.means.shape[1:] or np.isnan(y).any():
            raise ValueError(
                f"y must be (rows, outputs) = {self.means.shape[1:]} without NaN, got "
                f"{y.shape} with {np.isnan(y).sum()}. For one output, use y[:, None]."
            )
        return y
