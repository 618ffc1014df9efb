"""Negative correlation: members are pushed away from the others' common error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from torch import Tensor

from antireg.methods.base import Fit, Method, Step, Train
from antireg.methods.search import with_best_strength

STRENGTHS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)


@dataclass
class NegativeCorrelation(Method):
    """Reward members whose errors are on the other side of the mean.

    The penalty of member m is  strength · mean[(f_m − f̄) · Σ_{j≠m}(f_j − f̄)],  with
    the mean f̄ and the sum held fixed.

    Args:
        strength: Push away from the others. "auto" chooses it on the validation rows.

    References:
        Shui et al., "Diversity regularization in deep ensembles", 2018; Liu and Yao,
        "Ensemble learning via negative correlation", 1999.

    Examples:
        >>> import numpy as np
        >>> from antireg import EnsembleRegressor, NegativeCorrelation
        >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
        >>> method = NegativeCorrelation(strength=0.01)
        >>> model = EnsembleRegressor(
        ...     method, hidden=(20,), steps=100, doubt=None, random_state=0
        ... ).fit(X, X[:, 0])
        >>> model.method_
        NegativeCorrelation(strength=0.01)
    """

    strength: float | Literal["auto"] = "auto"

    shared_batches: ClassVar[bool] = True

    def penalty(self, step: Step, memory: None) -> Tensor:
        """Return each member's correlation with the others, scaled, (members,)."""
        values = step.loss.point(step.outputs)
        away = values - values.mean(0).detach()
        others = (away.sum(0) - away).detach()
        return float(self.strength) * (away * others).flatten(1).mean(1)

    def run(self, train: Train) -> Fit:
        """Train; if strength is "auto", choose it on the validation rows."""
        return with_best_strength(self, train, STRENGTHS)
