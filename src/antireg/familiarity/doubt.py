"""Doubt: how much of an answer is "I do not know", and what is answered instead.

If u is how unfamiliar a row is, `start` where doubt starts and `end` the farthest that
rehearsals went,

    r = clip(u, start, end) − start,    t = max(u − end, 0) / max(end − start, ¼),
    1 − w = (1 − sigmoid(a) (1 − exp(−e^b r))) · exp(−t/2).

The answer is a mixture of the members, with weight 1 − w, and of a fallback, with
weight w: the distribution of the training targets, a constant. For tables, a straight
line through them has the part v = ½ exp(−t/2) of the fallback. So the negative
log-likelihood of the answer is at most that of the members, moved as said below,
− log(1 − w), and at most that of the constant − log(w (1 − v)), which is − log(w/2) or
less.

Means of members and their σ go no further than 6/w standard deviations of the constant
from its mean: members that answer wildly where they are hardly trusted would otherwise
decide the mean and the width of the whole answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from antireg.familiarity.line import Fallback, Line
from antireg.familiarity.neighbours import Array
from antireg.predictive import ClassProbabilities, GaussianMixture
from antireg.predictive.values import LARGEST

START = np.array([3.0, -2.0, 0.1, -3.0, 0.3])
"""a, b, c, d, f at the start of their fit; the default if they cannot be learned."""

DEFAULT_REACH = 2.0
"""Distance from start to end in that case."""

GROWTH = 0.5
"""Beyond the end, 1 − w and v shrink by e^−½ with every further end − start."""

LINE_SHARE = 0.5
"""Part of the fallback that a line has, where there is one and rehearsals went."""

LEAST_LEFT = 1e-12
"""Of the line's share, which never becomes 0: intervals are those of doubted rows where
the last weight of a mixture is above 0."""

SHORTEST = 0.25
MOST_GROWTH = 12.0
REACH = 6.0
"""How far members may go where w is 1, in standard deviations of the constant."""


@dataclass(frozen=True)
class Curve:
    """How doubt grows with unfamiliarity.

    Attributes:
        a: Largest w learned, as log-odds.
        b: How fast w grows, as a logarithm.
        start: Where doubt starts.
        end: The farthest that rehearsals went.
    """

    a: float
    b: float
    start: float
    end: float

    def weight(self, unfamiliar: Array) -> Array:
        """Return w, from 0 to 1, (rows,)."""
        learned = expit(self.a) * -np.expm1(-np.exp(self.b) * self.within(unfamiliar))
        return np.asarray(1 - (1 - learned) * self.left(unfamiliar))

    def line_share(self, unfamiliar: Array) -> Array:
        """Return v, the part of the fallback that a line has, (rows,)."""
        return LINE_SHARE * np.maximum(self.left(unfamiliar), LEAST_LEFT)

    def left(self, unfamiliar: Array) -> Array:
        """Return exp(−t/2), what is left of any trust beyond the end, (rows,)."""
        beyond = np.maximum(unfamiliar - max(self.end, self.start), 0)
        stretches = beyond / max(self.end - self.start, SHORTEST)
        return np.asarray(np.exp(-GROWTH * stretches))

    def within(self, unfamiliar: Array) -> Array:
        """Return r, the distance from the start, up to the end, (rows,)."""
        end = max(self.end, self.start)
        return np.asarray(np.clip(unfamiliar, self.start, end) - self.start)


@dataclass(frozen=True, eq=False)
class Doubt:
    """Doubt of a regression:  (1 − w) · members + w · fallback.

    The members' variance becomes  e^c (mean σ² + unbiased var μ · exp(e^d r)). The
    fallback is N(ȳ, e^f s²) or, if there is a line ℓ through the training rows,
    (1 − v) N(ȳ, e^f s²) + v N(ℓ(x), e^f s_ℓ²).

    Attributes:
        curve: Of w.
        noise: c.
        growth: d.
        width: f.
        mean: ȳ of each target, (targets,).
        variance: s² of each target, (targets,).
        line: ℓ, if there is one; its variance is s_ℓ².
        reach: How far members may go where w is 1, in deviations of the constant;
            infinite in models of older versions.
    """

    curve: Curve
    noise: float
    growth: float
    width: float
    mean: Array
    variance: Array
    line: Line | None = None
    reach: float = REACH

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was pickled, perhaps before there was a limit."""
        vars(self).update({"reach": np.inf} | state)

    @property
    def fallback_variance(self) -> Array:
        """e^f s² of each target, (targets,)."""
        return np.asarray(np.exp(self.width) * self.variance)

    def inflation(self, unfamiliar: Array) -> Array:
        """Return exp(e^d r), by which disagreement grows, (rows,)."""
        exponent = np.exp(self.growth) * self.curve.within(unfamiliar)
        return np.asarray(np.exp(np.minimum(exponent, MOST_GROWTH)))

    def __call__(
        self, mixture: GaussianMixture, unfamiliar: Array, on_line: Array | None = None
    ) -> GaussianMixture:
        """Return the answer: the members moved apart, mixed with the fallback.

        Args:
            mixture: Of the members.
            unfamiliar: How unfamiliar each row is, (rows,).
            on_line: What the line says, (rows, targets), if there is one.
        """
        n_members, n_rows, n_targets = mixture.means.shape
        w = self.curve.weight(unfamiliar)[:, None]
        noise = np.exp(self.noise)
        unbiased = n_members / max(n_members - 1, 1)
        apart = np.sqrt(noise * unbiased * self.inflation(unfamiliar))[:, None]
        centre, limit = mixture.mean, self.limit(w)
        with np.errstate(over="ignore"):
            means = centre + apart * (mixture.means - centre)
            means = np.clip(means, self.mean - limit, self.mean + limit)
            variances = np.minimum(noise * mixture.variances, np.square(limit))
        fallback = self.fallback(on_line)
        shape = (1, n_rows, n_targets)
        v = self.curve.line_share(unfamiliar)[:, None]
        shares = [w * (1 - v), w * v] if len(fallback) > 1 else [w]
        weights = [*[(1 - w) / n_members] * n_members, *shares]
        return GaussianMixture(
            np.concatenate(
                [means, *(np.broadcast_to(f.mean, shape) for f in fallback)]
            ),
            np.concatenate(
                [variances, *(np.broadcast_to(f.variance, shape) for f in fallback)]
            ),
            np.stack(weights),
        )

    def limit(self, w: Array) -> Array:
        """Return how far members may go from the constant's mean, (rows, targets).

        Args:
            w: (rows, 1).
        """
        with np.errstate(divide="ignore", over="ignore"):
            reach = self.reach * np.sqrt(self.fallback_variance) / w
        return np.asarray(np.minimum(reach, np.sqrt(LARGEST)))

    def fallback(self, on_line: Array | None) -> list[Fallback]:
        """Return what is said instead of the members' answers, the line last.

        Args:
            on_line: What the line says, (rows, targets), if there is one.
        """
        constant = Fallback(self.mean, self.fallback_variance)
        if self.line is None:
            return [constant]
        assert on_line is not None
        variance = np.exp(self.width) * self.line.variance
        return [constant, Fallback(on_line, variance)]

    def pooled(
        self, mean: Array, noise: Array, disagreement: Array, unfamiliar: Array
    ) -> Fallback:
        """Return mean and variance of the members' part, (rows, targets) each.

        Where members go too far, noise and disagreement are limited one by one, which
        is at least as wide as limiting each member.

        Args:
            mean: Of the members, (rows, targets).
            noise: Mean σ², (rows, targets).
            disagreement: Unbiased variance of μ, (rows, targets).
            unfamiliar: (rows,).
        """
        limit = self.limit(self.curve.weight(unfamiliar)[:, None])
        grown, most = self.inflation(unfamiliar)[:, None], np.square(limit)
        scale = np.exp(self.noise)
        apart = np.minimum(scale * disagreement * grown, most)
        variance = np.minimum(scale * noise, most) + apart
        return Fallback(np.clip(mean, self.mean - limit, self.mean + limit), variance)


@dataclass(frozen=True, eq=False)
class ClassDoubt:
    """Doubt of classes:  (1 − w) p + w · class frequencies.

    Attributes:
        curve: Of w.
        frequencies: Share of each class among the training rows, (classes,).
    """

    curve: Curve
    frequencies: Array

    def __call__(
        self, predictive: ClassProbabilities, unfamiliar: Array
    ) -> ClassProbabilities:
        """Return the answer; doubt is the same for every member.

        Args:
            predictive: Of the members.
            unfamiliar: How unfamiliar each row is, (rows,).
        """
        members = self.mixed(predictive.probabilities, unfamiliar)
        pooled = predictive.pooled
        return ClassProbabilities(
            members, None if pooled is None else self.mixed(pooled, unfamiliar)
        )

    def mixed(self, probabilities: Array, unfamiliar: Array) -> Array:
        """Return probabilities mixed with the frequencies, (..., rows, classes)."""
        w = self.curve.weight(unfamiliar)[:, None]
        return np.asarray((1 - w) * probabilities + w * self.frequencies)
