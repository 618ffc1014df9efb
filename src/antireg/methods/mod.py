"""MOD: members are rewarded for disagreeing on inputs drawn around the batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Tensor

from antireg.methods.base import Fit, Method, Step, Train
from antireg.methods.search import with_best_strength

STRENGTHS = (0.0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)


@dataclass
class MOD(Method):
    """Maximise the overall diversity of the members' predictions.

    The penalty of every member is  −strength · mean over rows of the members'
    variance,  on inputs drawn uniformly in the box of the batch.

    Args:
        strength: Reward for disagreement. "auto" chooses it on the validation rows.

    References:
        Jain et al., "Maximizing Overall Diversity for Improved Uncertainty Estimates
        in Deep Ensembles", AAAI 2020.

    Examples:
        >>> import numpy as np
        >>> from antireg import MOD, EnsembleRegressor
        >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
        >>> model = EnsembleRegressor(
        ...     MOD(strength=0.01), hidden=(20,), steps=100, doubt=None, random_state=0
        ... ).fit(X, X[:, 0])
        >>> model.method_
        MOD(strength=0.01)
    """

    strength: float | Literal["auto"] = "auto"

    shared_batches: ClassVar[bool] = True

    def penalty(self, step: Step, memory: None) -> Tensor:
        """Return minus the members' variance on drawn inputs, scaled, (members,)."""
        x = step.batch.x
        low, high = x.amin(0), x.amax(0)
        share = torch.rand(x.shape, generator=step.rng, dtype=x.dtype).to(x.device)
        values = step.loss.point(step.network(low + (high - low) * share))
        variance = values.var(0, correction=0).mean()
        # Each member minimises its own penalty, but all penalties are summed before
        # the backward pass: one member's part of the gradient must not count M times.
        own = variance / len(values)
        penalty = -float(self.strength) * (own + (variance - own).detach())
        return penalty.expand(len(values))

    def run(self, train: Train) -> Fit:
        """Train; if strength is "auto", choose it on the validation rows."""
        return with_best_strength(self, train, STRENGTHS)
