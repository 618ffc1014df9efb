"""What doubt is learned from: outputs of a classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from antireg.estimators.doubt_rules import DoubtRules, Sets
from antireg.estimators.doubting import Said
from antireg.estimators.observed import Observed
from antireg.familiarity.doubt import ClassDoubt
from antireg.familiarity.fitting import (
    ClassEvidence,
    default_class_doubt,
    fit_class_doubt,
)
from antireg.familiarity.spread import spread_of_classes
from antireg.predictive.intervals import Shifts

Array = NDArray[np.float64]


class ClassRules(DoubtRules):
    """For a classifier."""

    tells_classes = True

    def uncertainty(self, outputs: Array) -> Array:
        """Return the entropy of the ensemble's probabilities, (rows,)."""
        return spread_of_classes(self.model.predictive_of(Said(outputs)).mean)

    def answers(self, outputs: Tensor) -> Tensor:
        """Return the sum of squares of the class values, (members, rows, 1)."""
        squares: Tensor = self.model.loss_.point(outputs).square()
        return squares.sum(-1, keepdim=True)

    def evidence(self, rows: Observed, unfamiliar: Array) -> ClassEvidence:
        """Return the probability of the true classes beside their share."""
        probabilities = self.model.predictive_of(Said(rows.outputs)).mean
        true = _both(rows.targets)
        return ClassEvidence(
            unfamiliar,
            rows.weight,
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
