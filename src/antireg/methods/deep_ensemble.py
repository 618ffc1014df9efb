"""Deep ensembles: members differ in their initial weights and order of batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from antireg.methods.base import Method, Step
from antireg.methods.closed_form import AddGradient
from antireg.networks import Stack


class Plain(Method):
    """Training on the fit loss alone."""

    independent: ClassVar[bool] = True

    def penalty(self, step: Step, memory: None) -> Tensor:
        """Return zero, (members,)."""
        return step.outputs.new_zeros(len(step.outputs))

    def gradient(self, network: Stack, memory: None) -> AddGradient:
        """Return what adds nothing."""
        return lambda block, control: None

    def control(self, fit: Tensor) -> Tensor:
        """Return λ = 0: there is nothing to switch on, (members,)."""
        return fit.new_zeros(len(fit))


@dataclass
class DeepEnsemble(Plain):
    """Train every member on the fit loss alone.

    References:
        Lakshminarayanan et al., "Simple and Scalable Predictive Uncertainty
        Estimation using Deep Ensembles", NeurIPS 2017.

    Examples:
        >>> import numpy as np
        >>> from antireg import DeepEnsemble, EnsembleRegressor
        >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
        >>> model = EnsembleRegressor(
        ...     DeepEnsemble(), hidden=(20,), steps=100, doubt=None, random_state=0
        ... ).fit(X, X[:, 0])
        >>> model.network_.n_members
        5
    """
