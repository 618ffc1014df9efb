"""What doubt is learned from, and that of a regressor: what outputs mean."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from antireg.estimators.doubting import Said
from antireg.estimators.members import some_inputs
from antireg.estimators.observed import Observed
from antireg.familiarity.doubt import ClassDoubt, Doubt
from antireg.familiarity.fitting import (
    Evidence,
    ValueEvidence,
    default_doubt,
    doubted_answers,
    fit_doubt,
)
from antireg.familiarity.line import MOST_COLUMNS, Fallback, Line, fit_line
from antireg.familiarity.spread import (
    disagreement,
    spread_of_means,
)
from antireg.networks.bins import has_features
from antireg.predictive.intervals import Shifts
from antireg.rows.data import Batch, Data, targets_of, weights_of

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
        lined: Whether doubt is to fall back on a line through the rows, too.
    """

    tells_classes: ClassVar[bool] = False

    def __init__(
        self,
        model: Any,
        targets: Array | None = None,
        weight: Array | None = None,
        lined: bool = False,
    ) -> None:
        """Store them; all but the model are needed only to learn."""
        self.model, self.weight, self.lined = model, weight, lined
        self.targets = np.zeros((0, 1)) if targets is None else targets

    @classmethod
    def of_rows(cls, model: Any, trained: Data) -> Self:
        """Return the rules for a model that was trained on these rows."""
        lined = cls.has_line(trained)
        return cls(model, targets_of(trained), weights_of(trained), lined)

    def of(self, model: Any) -> Self:
        """Return the rules for another model that learns the same targets."""
        return type(self)(model, self.targets, self.weight, self.lined)

    @abstractmethod
    def uncertainty(self, outputs: Array) -> Array:
        """Return the members' own uncertainty, above 0, (rows,)."""

    @abstractmethod
    def answers(self, outputs: Tensor) -> Tensor:
        """Return what changes with an input that matters, (members, rows, answers)."""

    @staticmethod
    def has_line(trained: Data) -> bool:
        """Return whether doubt can fall back on a line through rows trained on."""
        return False

    def line(self, rows: Batch) -> Line | None:
        """Return a straight line through rows, for answers that are numbers."""
        return None

    @abstractmethod
    def evidence(self, rows: Observed, unfamiliar: Array) -> Evidence:
        """Return the answers to rows beside the truth.

        Args:
            rows: With the outputs of the model.
            unfamiliar: How unfamiliar each is, (rows,).
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

    @staticmethod
    def has_line(trained: Data) -> bool:
        """Return whether the rows are those of a table, and not too wide."""
        if trained.x.shape[1] > MOST_COLUMNS:
            return False
        return not has_features(some_inputs(trained))

    def line(self, rows: Batch) -> Line:
        """Return a straight line through rows, in the units of y."""
        scaling = self.model.target_scaling_
        y = scaling.unscaled(targets_of(rows))
        line = fit_line(rows.x.cpu().numpy(), y, weights_of(rows))
        least = LEAST_VARIANCE * scaling.scale**2
        return replace(line, variance=np.maximum(line.variance, least))

    def evidence(self, rows: Observed, unfamiliar: Array) -> ValueEvidence:
        """Return means, noise and disagreement beside what is to be learned."""
        fallback = rows.line_said
        if fallback is None:
            fallback = Fallback(*self._moments())
        mixture = self.model.learned_of(Said(rows.outputs))
        return ValueEvidence(
            unfamiliar,
            rows.weight,
            mixture.mean,
            mixture.aleatoric,
            disagreement(mixture.means),
            self.model.target_scaling_.unscaled(rows.targets),
            *(np.broadcast_to(part, rows.targets.shape) for part in fallback),
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
