"""What doubt is learned from: outputs of a regressor, or of a classifier."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

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
from antireg.familiarity.spread import (
    disagreement,
    spread_of_classes,
    spread_of_means,
)
from antireg.predictive.intervals import Shifts

Array = NDArray[np.float64]
Sets = Sequence[Any]
"""Answers to rows, by set."""

LEAST_VARIANCE = 1e-12
"""Of scaled targets."""


class DoubtRules(ABC):
    """Turns a model's outputs into what doubt is learned from.

    Args:
        model: The estimator, or a copy with rehearsed members.
        targets: Of the training rows, as the network sees them, (rows, targets).
        weight: Of these rows, (rows,).
    """

    tells_classes: ClassVar[bool] = False

    def __init__(
        self, model: Any, targets: Array | None = None, weight: Array | None = None
    ) -> None:
        """Store them; targets and weights are needed only to learn."""
        self.model, self.weight = model, weight
        self.targets = np.zeros((0, 1)) if targets is None else targets

    def of(self, model: Any) -> Self:
        """Return the rules for another model that learns the same targets."""
        return type(self)(model, self.targets, self.weight)

    @abstractmethod
    def uncertainty(self, outputs: Array) -> Array:
        """Return the members' own uncertainty, above 0, (rows,)."""

    @abstractmethod
    def answers(self, outputs: Tensor) -> Tensor:
        """Return what changes with an input that matters, (members, rows, answers)."""

    @abstractmethod
    def evidence(
        self, outputs: Array, targets: Array, unfamiliar: Array, weight: Array
    ) -> Evidence:
        """Return the answers to rows beside the truth.

        Args:
            outputs: (members, rows, outputs).
            targets: As the network sees them, (rows, targets).
            unfamiliar: (rows,).
            weight: Of each row, (rows,).
        """

    @abstractmethod
    def learned(
        self, held_out: Sets, rehearsed_held_out: Sets, rehearsed: Sets
    ) -> Doubt | ClassDoubt:
        """Return the doubt with the least loss on these rows.

        Args:
            held_out: Answers of the final members to validation rows.
            rehearsed_held_out: Answers of rehearsed members to validation rows.
            rehearsed: Answers of rehearsed members to the rows they left out.
        """

    @abstractmethod
    def shifts(self, doubt: Any, rehearsed: Sets) -> Shifts:
        """Return the answers to doubted rows by set, where there are intervals.

        Args:
            doubt: As learned.
            rehearsed: Answers to the rows that each rehearsal left out.
        """

    @abstractmethod
    def default(self, unfamiliar: Array) -> Doubt | ClassDoubt:
        """Return the default doubt, for a table that is too small for rehearsals.

        Args:
            unfamiliar: Of validation rows, (rows,).
        """


class ValueRules(DoubtRules):
    """For a regressor."""

    def uncertainty(self, outputs: Array) -> Array:
        """Return the standard deviation of the members' means, scaled, (rows,)."""
        own = self.model.of_members(outputs)
        return spread_of_means(self.answers(torch.from_numpy(own)).numpy())

    def answers(self, outputs: Tensor) -> Tensor:
        """Return the means, (members, rows, targets)."""
        means: Tensor = self.model.loss_.point(outputs)
        return means

    def evidence(
        self, outputs: Array, targets: Array, unfamiliar: Array, weight: Array
    ) -> ValueEvidence:
        """Return means, noise and disagreement beside what is to be learned."""
        mixture = self.model.learned_of(outputs)
        return ValueEvidence(
            unfamiliar,
            weight,
            mixture.mean,
            mixture.aleatoric,
            disagreement(mixture.means),
            self.model.target_scaling_.unscaled(targets),
        )

    def learned(
        self, held_out: Sets, rehearsed_held_out: Sets, rehearsed: Sets
    ) -> Doubt:
        """Return the doubt with the least negative log-likelihood."""
        mean, variance = self._moments()
        return fit_doubt(held_out, rehearsed_held_out, rehearsed, mean, variance)

    def shifts(self, doubt: Any, rehearsed: Sets) -> Shifts:
        """Return the mixtures beside the true values, by set."""
        return doubted_answers(doubt, rehearsed)

    def default(self, unfamiliar: Array) -> Doubt:
        """Return the doubt of fixed numbers."""
        mean, variance = self._moments()
        return default_doubt(unfamiliar, mean, variance)

    def _moments(self) -> tuple[Array, Array]:
        """Return mean and variance of y, (targets,) each."""
        scaling = self.model.target_scaling_
        mean = np.average(self.targets, axis=0, weights=self.weight)
        away = np.square(self.targets - mean)
        variance = np.average(away, axis=0, weights=self.weight)
        least = np.maximum(variance, LEAST_VARIANCE)
        return scaling.unscaled(mean), least * scaling.scale**2


class ClassRules(DoubtRules):
    """For a classifier."""

    tells_classes = True

    def uncertainty(self, outputs: Array) -> Array:
        """Return the entropy of the ensemble's probabilities, (rows,)."""
        return spread_of_classes(self.model.predictive_of(outputs).mean)

    def answers(self, outputs: Tensor) -> Tensor:
        """Return the sum of squares of the class values, (members, rows, 1)."""
        squares: Tensor = self.model.loss_.point(outputs).square()
        return squares.sum(-1, keepdim=True)

    def evidence(
        self, outputs: Array, targets: Array, unfamiliar: Array, weight: Array
    ) -> ClassEvidence:
        """Return the probability of the true classes beside their share."""
        probabilities = self.model.predictive_of(outputs).mean
        true = _both(targets)
        return ClassEvidence(
            unfamiliar,
            weight,
            (true * probabilities).sum(axis=1),
            true @ self._frequencies(),
        )

    def learned(
        self, held_out: Sets, rehearsed_held_out: Sets, rehearsed: Sets
    ) -> ClassDoubt:
        """Return the doubt with the least log-loss."""
        shares = self._frequencies()
        return fit_class_doubt(held_out, rehearsed_held_out, rehearsed, shares)

    def shifts(self, doubt: Any, rehearsed: Sets) -> Shifts:
        """Return nothing: classes have no intervals."""
        return ()

    def default(self, unfamiliar: Array) -> ClassDoubt:
        """Return the doubt of fixed numbers."""
        return default_class_doubt(unfamiliar, self._frequencies())

    def _frequencies(self) -> Array:
        """Return the share of each class, (classes,)."""
        shares = np.average(_both(self.targets), axis=0, weights=self.weight)
        return np.asarray(shares / shares.sum())


def _both(targets: Array) -> Array:
    """Return one column per class, also where one column stands for two classes."""
    if targets.shape[1] > 1:
        return targets
    return np.concatenate([1 - targets, targets], axis=1)
