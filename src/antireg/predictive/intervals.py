"""Intervals that cover targets as often as asked.

The central interval of a mixture is widened about its middle by a factor k. A row that
the members were not trained on tells which k would just cover its target,
|y − middle| / half width;  the factor for a coverage is a quantile of these numbers,
defined so that it is right for new rows, as in `detection.threshold`. This
is split conformal prediction: the coverage holds on average over new rows from the
same distribution, whether or not the mixture is right.

Where there is doubt, rows are not from that distribution. What is known of such rows is
how wide intervals had to be for each set of rows that was rehearsed, and a new shift is
like a new set, not like new rows of an old one: the factor is a quantile over sets. It
widens no interval far beyond that of the simple model that stands beside the members, a
line or a constant, which is widened in the same way: nobody has to say much less than
one who hardly looks.

References:
    Lei et al., "Distribution-Free Predictive Inference for Regression", 2018.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from antireg.predictive import GaussianMixture
from antireg.predictive.log_normal import LogNormalMixture, exponential
from antireg.predictive.values import LARGEST, Array

COVERAGES = np.array([*np.arange(5, 100, 5), 97.5, 99, 99.5, 99.75, 99.9]) / 100
"""Coverages at which factors are computed; between them they are interpolated."""

LARGEST_FACTOR = 1e12
MOST_ROWS = 10_000
LARGEST_OUTSIDE = 1e3
FEWEST_ROWS = 10
"""Rows of a set that tell how wide its intervals must be."""

ROOM = 1.5
"""How much wider than rehearsals showed the interval of a simple model may be, as
targets may move farther in a new shift. docs/choices.md says why."""

USUAL = 0.9
"""The coverage by which that is told, and the share of sets that it is enough for."""

Shifts = Sequence[tuple[GaussianMixture, Array]]
"""What is said of doubted rows and their targets, (rows, targets), by rehearsed set."""


@dataclass(frozen=True, eq=False)
class IntervalFactors:
    """How much wider an interval is than the mixture's, depending on its coverage.

    Attributes:
        coverages: Ascending, (levels,). Below the first and above the last, which is
            the most that the rows can tell, the factor is constant.
        factors: (levels, targets).
        outside: By what the factor is multiplied where a simple model stands beside the
            members, 1 or more; there it is 1 at least before that.
        simple: How much wider than its own the interval of that model is, 1 or more.
            `outside` widens no interval beyond it; `LARGEST_OUTSIDE` is no limit.
    """

    coverages: Array
    factors: Array
    outside: float = 1.0
    simple: float = LARGEST_OUTSIDE

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was pickled, perhaps when `simple` was called `constant`."""
        older = {"simple": state["constant"]} if "constant" in state else {}
        vars(self).update(state | older)

    @classmethod
    def none(cls, n_targets: int) -> IntervalFactors:
        """Return factors that leave every interval unchanged."""
        return cls(np.array([0.5]), np.ones((1, n_targets)))

    def at(self, coverage: float) -> Array:
        """Return the factor of each target, (targets,)."""
        columns = self.factors.T
        return np.array([np.interp(coverage, self.coverages, c) for c in columns])

    def outside_at(self, coverage: float) -> Array:
        """Return the factor of each target where there is doubt, (targets,)."""
        return np.asarray(np.maximum(self.at(coverage), 1.0) * self.outside)

    def widened(self, shifts: Shifts) -> IntervalFactors:
        """Return the same with intervals that are wide enough for most of these shifts.

        Of n shifts, the i-th widest is enough for a new one with probability
        1 − i/(n + 1).
        """
        factor = np.maximum(self.at(USUAL), 1.0)
        told = [(mixture, y) for mixture, y in shifts if len(y) >= FEWEST_ROWS]
        if not told:
            return self
        answers = [factors_needed(*shift, USUAL) / factor for shift in told]
        simple = [factors_needed(_simple(m), y, USUAL) for m, y in told]
        most = min(ROOM * _enough(simple), LARGEST_OUTSIDE)
        return replace(self, outside=_enough(answers), simple=most)

    def interval(
        self, mixture: GaussianMixture | LogNormalMixture, coverage: float
    ) -> tuple[Array, Array]:
        """Return both ends of the mixture's central interval, widened.

        That of amounts is widened as one of their logarithms. Where a simple model
        stands beside the members, it is widened as `outside` says.
        """
        if isinstance(mixture, LogNormalMixture):
            low, high = self.interval(mixture.logs, coverage)
            return exponential(low), exponential(high)
        low, high = mixture.interval(coverage)
        if mixture.weights is None:
            return widened(low, high, self.at(coverage))
        doubted = mixture.weights[-1] > 0
        usual, outside = self.at(coverage), self.outside_at(coverage)
        near = widened(low, high, np.where(doubted, np.maximum(usual, 1.0), usual))
        far = widened(low, high, np.where(doubted, outside, usual))
        ends = widened(*_simple(mixture).interval(coverage), self.simple)
        return (
            np.maximum(far[0], np.minimum(near[0], ends[0])),
            np.minimum(far[1], np.maximum(near[1], ends[1])),
        )


def widened(low: Array, high: Array, factor: float | Array) -> tuple[Array, Array]:
    """Return both ends of intervals that are as many times as wide."""
    with np.errstate(over="ignore"):
        more = (factor - 1) * (0.5 * high - 0.5 * low)
        low, high = low - more, high + more
    low, high = np.minimum(low, high), np.maximum(low, high)  # if k is 0
    return np.maximum(low, -LARGEST), np.minimum(high, LARGEST)


def _simple(mixture: GaussianMixture) -> GaussianMixture:
    """Return the simple model that stands beside the members: the last part."""
    return GaussianMixture(mixture.means[-1:], mixture.variances[-1:])


def _enough(needed: Sequence[Array]) -> float:
    """Return the factor that is enough for nine sets in ten, from those of rows."""
    by_set = sorted(float(np.quantile(factors, USUAL)) for factors in needed)
    place = min(int(np.ceil((len(by_set) + 1) * USUAL)), len(by_set))
    return float(np.clip(by_set[place - 1], 1.0, LARGEST_OUTSIDE))


def fit_interval_factors(
    mixture: GaussianMixture,
    y: Array,
    weight: Array | None = None,
    shifts: Shifts = (),
) -> IntervalFactors:
    """Return the factors with which intervals cover new rows as often as asked.

    If the k of n rows are sorted, that of a new row is at most the i-th with
    probability i/(n + 1). With weights, it is the share of the weight up to the i-th,
    where the new row has the mean weight.

    Args:
        mixture: Predictions for rows by members that were not trained on them.
        y: Their targets, (rows, targets).
        weight: How much each row counts, (rows,).
        shifts: To learn from how wide intervals are where there is doubt.
    """
    weight = np.ones(len(y)) if weight is None else weight
    if len(y) > MOST_ROWS:
        chosen = np.linspace(0, len(y) - 1, MOST_ROWS).astype(int)
        mixture, y, weight = mixture.at(chosen), y[chosen], weight[chosen]
    total = weight.sum() + weight.mean()
    known = COVERAGES[weight.sum() / total + 1e-9 >= COVERAGES]
    if not known.size:
        known = COVERAGES[:1]
    factors = np.empty((len(known), y.shape[1]))
    for target in range(y.shape[1]):
        only = slice(target, target + 1)
        one = GaussianMixture(
            mixture.means[..., only], mixture.variances[..., only], mixture.weights
        )
        for level, needed in enumerate(factors_needed(one, y[:, only], known)[..., 0]):
            order = np.argsort(needed, kind="stable")
            held = np.cumsum(weight[order]) / total
            factors[level, target] = np.interp(known[level], held, needed[order])
    return IntervalFactors(known, factors).widened(shifts)


def factors_needed(
    mixture: GaussianMixture, y: Array, coverage: float | Array
) -> Array:
    """Return the k that just covers each target, (..., rows, targets).

    It is 1 where an interval has no width to widen.

    Args:
        mixture: What is said of the rows.
        y: Their targets, (rows, targets).
        coverage: Of which intervals, (...).
    """
    coverage = np.asarray(coverage)
    low = mixture.quantile((1 - coverage) / 2)
    high = mixture.quantile((1 + coverage) / 2)
    half = 0.5 * high - 0.5 * low
    away = np.abs(y - (0.5 * high + 0.5 * low))
    with np.errstate(over="ignore"):
        factor = np.divide(away, half, out=np.ones_like(away), where=half > 0)
    return np.minimum(factor, LARGEST_FACTOR)
