"""What a gate is made of, for amounts and for classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.doubt import ClassDoubt, Doubt
from antireg.familiarity.fitting import (
    ClassEvidence,
    Evidence,
    ValueEvidence,
    default_class_doubt,
    default_doubt,
    doubted_answers,
    fit_class_doubt,
    fit_doubt,
)
from antireg.familiarity.spread import LEAST_VARIANCE, spread_of_classes
from antireg.predictive import GaussianMixture
from antireg.predictive.intervals import Shifts
from antireg.predictive.probability_map import ProbabilityMap, fit_probability_map
from antireg.trusted.answers import Answer, amounts, class_probabilities
from antireg.trusted.noise import Noise, fit_noise

Array = NDArray[np.float64]
Sets = Sequence[Any]
"""Answers to rows, by set."""

SMALLEST = 1e-12
"""Part of its own square that the variance of a target is at least."""


class Rules(ABC):
    """How what a model says becomes what doubt is learned from.

    A calibration says what answers mean: a `Noise`, or a `ProbabilityMap`.
    """

    tells_classes: ClassVar[bool] = False

    @abstractmethod
    def says(self, model: Any, entering: Any) -> Answer:
        """Return what a model says of rows that enter it."""

    @abstractmethod
    def uncertainty(self, answer: Answer) -> Array | None:
        """Return how uncertain the model itself is, above 0, (rows,), if it says so."""

    @abstractmethod
    def calibration(self, answer: Answer, y: NDArray[Any], weight: Array) -> Any:
        """Return what answers mean, by rows that the model was not fitted on."""

    @abstractmethod
    def evidence(
        self,
        answer: Answer,
        calibration: Any,
        y: NDArray[Any],
        unfamiliar: Array,
        weight: Array,
    ) -> Evidence:
        """Return what was said of rows beside what is true."""

    @abstractmethod
    def learned(
        self, held_out: Sets, rehearsed_held_out: Sets, rehearsed: Sets
    ) -> Doubt | ClassDoubt:
        """Return the doubt of least loss on these rows; arguments as in `fit_doubt`."""

    @abstractmethod
    def shifts(self, doubt: Any, rehearsed: Sets) -> Shifts:
        """Return the answers to doubted rows by set, where there are intervals.

        Args:
            doubt: As learned.
            rehearsed: Answers to the rows that each rehearsal left out.
        """

    @abstractmethod
    def default(self, unfamiliar: Array) -> Doubt | ClassDoubt:
        """Return the doubt of fixed numbers, by rows like those of training."""


@dataclass(frozen=True, eq=False)
class ValueRules(Rules):
    """Of a regressor.

    Attributes:
        mean: Of each target, (targets,).
        variance: Of each target, (targets,).
    """

    mean: Array
    variance: Array

    @classmethod
    def of(cls, y: Array, weight: Array) -> ValueRules:
        """Return the rules for these targets, (rows,) or (rows, targets)."""
        y = _columns(y)
        mean = np.average(y, axis=0, weights=weight)
        variance = np.average(np.square(y - mean), axis=0, weights=weight)
        least = SMALLEST * np.maximum(np.square(mean), SMALLEST)
        return cls(mean, np.maximum(variance, least))

    def says(self, model: Any, entering: Any) -> Answer:
        """Return amounts, and deviations of models that report them."""
        return amounts(model, entering)

    def uncertainty(self, answer: Answer) -> Array | None:
        """Return the deviation it reports, in standardised units, (rows,)."""
        if answer.deviation is None:
            return None
        scaled = np.square(answer.deviation) / self.variance
        return np.asarray(np.sqrt(scaled.sum(axis=1) + LEAST_VARIANCE))

    def calibration(self, answer: Answer, y: Array, weight: Array) -> Noise:
        """Return the noise around the answers."""
        return fit_noise(answer, _columns(y), weight, SMALLEST * self.variance)

    def mixture(self, answer: Answer, noise: Noise) -> GaussianMixture:
        """Return a Gaussian for each row and target, the only member."""
        return GaussianMixture(answer.values[None], noise(answer)[None])

    def evidence(
        self,
        answer: Answer,
        calibration: Noise,
        y: Array,
        unfamiliar: Array,
        weight: Array,
    ) -> ValueEvidence:
        """Return amounts and noise beside y; one model does not disagree."""
        noise = calibration(answer)
        nothing = np.zeros_like(noise)
        y = _columns(y)
        fallback = (np.broadcast_to(p, y.shape) for p in (self.mean, self.variance))
        told = unfamiliar, weight, answer.values, noise, nothing, y
        return ValueEvidence(*told, *fallback)

    def learned(
        self, held_out: Sets, rehearsed_held_out: Sets, rehearsed: Sets
    ) -> Doubt:
        """Return the doubt of least negative log-likelihood.

        Its c, by which all noise grows, is what copies that know fewer rows are worse
        by; the noise of the model itself is known from folds, and is left as it is.
        """
        found = fit_doubt(
            held_out, rehearsed_held_out, rehearsed, self.mean, self.variance
        )
        return replace(found, noise=0.0)

    def shifts(self, doubt: Any, rehearsed: Sets) -> Shifts:
        """Return the mixtures beside the true values, by set."""
        return doubted_answers(doubt, rehearsed)

    def default(self, unfamiliar: Array) -> Doubt:
        """Return the doubt of fixed numbers, but for the noise, which is known."""
        found = default_doubt(unfamiliar, self.mean, self.variance)
        return replace(found, noise=0.0)


@dataclass(frozen=True, eq=False)
class ClassRules(Rules):
    """Of a classifier.

    Attributes:
        classes: All labels, sorted.
        frequencies: Share of each, (classes,).
    """

    classes: NDArray[Any]
    frequencies: Array

    tells_classes: ClassVar[bool] = True

    @classmethod
    def of(cls, y: NDArray[Any], weight: Array, classes: NDArray[Any]) -> ClassRules:
        """Return the rules for these labels, (rows,), of all classes there are."""
        place = np.searchsorted(classes, y)
        shares = np.bincount(place, weights=weight, minlength=len(classes))
        return cls(classes, shares / shares.sum())

    def says(self, model: Any, entering: Any) -> Answer:
        """Return the probability of each class."""
        return class_probabilities(model, entering, self.classes)

    def uncertainty(self, answer: Answer) -> Array | None:
        """Return the entropy of the probabilities, (rows,)."""
        return spread_of_classes(answer.values)

    def calibration(
        self, answer: Answer, y: NDArray[Any], weight: Array
    ) -> ProbabilityMap:
        """Return how probabilities must be sharpened or softened."""
        return fit_probability_map(self._outputs(answer), self._places(y), weight)

    def probabilities(self, answer: Answer, calibration: ProbabilityMap) -> Array:
        """Return the calibrated probability of each class, (rows, classes)."""
        return calibration(self._outputs(answer))

    def evidence(
        self,
        answer: Answer,
        calibration: ProbabilityMap,
        y: NDArray[Any],
        unfamiliar: Array,
        weight: Array,
    ) -> ClassEvidence:
        """Return the probability of the true classes beside their share."""
        true, rows = self._places(y), np.arange(len(y))
        right = self.probabilities(answer, calibration)[rows, true]
        return ClassEvidence(unfamiliar, weight, right, self.frequencies[true])

    def learned(
        self, held_out: Sets, rehearsed_held_out: Sets, rehearsed: Sets
    ) -> ClassDoubt:
        """Return the doubt of least log-loss."""
        return fit_class_doubt(
            held_out, rehearsed_held_out, rehearsed, self.frequencies
        )

    def shifts(self, doubt: Any, rehearsed: Sets) -> Shifts:
        """Return nothing: classes have no intervals."""
        return ()

    def default(self, unfamiliar: Array) -> ClassDoubt:
        """Return the doubt of fixed numbers."""
        return default_class_doubt(unfamiliar, self.frequencies)

    def _places(self, y: NDArray[Any]) -> NDArray[np.intp]:
        return np.searchsorted(self.classes, y)

    def _outputs(self, answer: Answer) -> Array:
        """Return probabilities times their number, as the map takes them."""
        return answer.values * len(self.classes)


def _columns(y: Array) -> Array:
    """Return targets as (rows, targets)."""
    return np.asarray(y, dtype=np.float64).reshape(len(y), -1)
