"""DARE: weights grow where the training data do not constrain them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from torch import Tensor

from antireg.history import History
from antireg.methods.base import (
    Bounds,
    Fit,
    Method,
    Shown,
    Step,
    Train,
    is_auto,
    not_negative,
)
from antireg.methods.closed_form import AddGradient, Block
from antireg.methods.dare_loss import EPSILON, control, keeps, weight_penalty
from antireg.methods.deep_ensemble import DeepEnsemble
from antireg.networks import Stack
from antireg.rows.data import Data


@dataclass
class DARE(Method):
    """Reward large weights, but only while a member fits its batch.

    The penalty of member m is  −mean_k log(θ_{m,k}² + ε),  switched on (λ = 1) on
    batches where its fit loss is at most the threshold τ. Each member keeps its weights
    from the last epoch whose validation loss was at most τ.

    Args:
        threshold: τ. "auto" trains a deep ensemble first and sets  τ = L + δ|L|,
            where L is the mean validation loss of its members. If the estimator is
            `robust`, the slack of a log-likelihood is at most δ, since a share of a
            logarithm means nothing; and τ is at most halfway from L to the loss of a
            constant guess (or L if that is no better), so that members keep at least
            half of what they can learn. The mean of a robust regressor is that deep
            ensemble's, about which the members disagree.
        delta: δ, how much worse than the deep ensemble a member may become.

    References:
        de Mathelin et al., "Deep Anti-Regularized Ensembles provide reliable
        out-of-distribution uncertainty quantification", 2023.
    """

    threshold: float | Literal["auto"] = "auto"
    delta: float = 0.25

    independent: ClassVar[bool] = True
    pauses: ClassVar[int] = 3  # λ is 0 above τ, and members often come back
    # A softmax turns large outputs into confidence, the opposite of what is wanted.
    classification_loss: ClassVar[str] = "squared_error"

    def init(self, network: Stack, data: Data, seeds: Sequence[int]) -> Tensor:
        """Return ε on the device of the weights."""
        return network.flat.new_tensor(EPSILON)

    def penalty(self, step: Step, memory: Tensor) -> Tensor:
        """Return minus the mean log squared weight of each member, (members,)."""
        return weight_penalty(step.network.flat)

    def gradient(self, network: Stack, memory: Tensor) -> AddGradient:
        """Return what adds  −λ · 2θ / (θ² + ε) / d  to the gradient."""
        scale = -2 / network.flat.shape[1]

        def add(block: Block, control: float) -> None:
            weights = block.weights
            bottom = torch.addcmul(memory, weights, weights, out=block.spare)
            block.gradient.addcdiv_(weights, bottom, value=scale * control)

        return add

    def control(self, fit: Tensor) -> Tensor:
        """Return λ: 1 for members whose loss is at most τ, else 0, (members,)."""
        return control(fit, float(self.threshold))

    def keep(self, validation_loss: Tensor, kept: Tensor) -> Tensor:
        """Return the members at or below τ; before that, those at their best."""
        return keeps(validation_loss, kept, float(self.threshold))

    def run(self, train: Train) -> Fit:
        """Train; if τ is "auto", train a deep ensemble first that sets it."""
        not_negative("delta", self.delta)
        if not is_auto("threshold", self.threshold):
            return train(self)
        reference = train(DeepEnsemble())
        loss = float(reference.history.kept_validation_loss.mean())
        threshold = self._threshold(loss, reference.bounds)
        return replace(train(replace(self, threshold=threshold)), centre=reference)

    def _threshold(self, loss: float, bounds: Bounds) -> float:
        """Return τ, given the loss of the reference."""
        wanted = loss + self.delta * min(abs(loss), bounds.unit)
        constant = bounds.constant_loss
        most = loss + 0.5 * max(constant - loss, 0.0)
        if wanted <= most:
            return wanted
        warnings.warn(
            f"DARE: threshold={wanted:.4g} was lowered to {most:.4g}, as a constant "
            f"guess has a validation loss of {constant:.4g} and the deep ensemble "
            f"{loss:.4g}: there is little to learn here, and members must keep half of "
            "it. Look for better columns or more rows, or lower delta.",
            ConvergenceWarning,
            stacklevel=2,
        )
        return most

    def shown(self) -> Sequence[Shown]:
        """Return τ, once it is known."""
        if self.threshold == "auto":
            return ()
        meaning = "Weights may grow where the loss is under τ"
        return [Shown("threshold", "τ", float(self.threshold), meaning)]

    def advice(self, history: History) -> str | None:
        """Return what kept the weights from growing until the threshold bound."""
        threshold = float(self.threshold)
        if threshold == -math.inf:
            return None
        best = history.validation_loss.min(axis=0)
        missed = np.flatnonzero(best > threshold)
        if missed.size:
            return (
                f"DARE: {missed.size} of {best.size} members never had a validation "
                f"loss of at most threshold={threshold:.4g} (best "
                f"{best[missed].min():.4g}), so their best epochs were kept, with "
                "whatever their weights had grown by then. Raise delta or threshold, "
                "or train longer."
            )
        overfit = np.flatnonzero(history.kept <= history.n_epochs // 2)
        if overfit.size:
            last = int(np.median(history.kept[overfit]))
            return (
                f"DARE: the validation loss of {overfit.size} of {best.size} members "
                f"left threshold={threshold:.4g} after epoch {last} of "
                f"{history.n_epochs}: "
                "they overfit, and only their epochs before count. Hold out or gather "
                "more rows, make the network smaller, or raise delta."
            )
        last_tenth = history.control[-max(1, history.n_epochs // 10) :].mean()
        if last_tenth < 0.99:
            return None
        return (
            f"DARE: λ was still 1 on {last_tenth:.0%} of the last batches: "
            f"threshold={threshold:.4g} did not bind, and the weights could have grown "
            "further. If far rows are not flagged, train for more steps or raise lr."
        )
