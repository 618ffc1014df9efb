"""DARE: weights grow where the training data do not constrain them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor

from antireg.history import History
from antireg.methods.base import Fit, Method, Shown, Step, Train
from antireg.methods.checks import is_auto, is_one_of, not_negative
from antireg.methods.closed_form import AddGradient, Block
from antireg.methods.dare_loss import EPSILON, control, keeps, weight_penalty
from antireg.methods.deep_ensemble import DeepEnsemble
from antireg.methods.threshold import threshold_above
from antireg.networks import Stack
from antireg.rows.data import Data

GROWTH = 0.1
"""Epochs in which weights grow from the reference's, as a share of all."""


@dataclass
class DARE(Method):
    """Reward large weights, but only while a member fits its batch.

    The penalty of member m is  −mean_k log(θ_{m,k}² + ε),  switched on (λ = 1) on
    batches where its fit loss is at most the threshold τ. Each member keeps its weights
    from the last epoch whose validation loss was at most τ.

    Args:
        threshold: τ. "auto" trains a deep ensemble first and sets  τ = L + δ|L|,
            where L is the mean validation loss of its members, or less if the estimator
            is `robust` (`antireg.methods.threshold`). The mean of a robust regressor is
            that deep ensemble's, about which the members disagree.
        delta: δ, how much worse than the deep ensemble a member may become.
        start: From random weights, as in the paper, or from those of the deep ensemble
            ("reference"): these then grow for a tenth of the epochs.

    References:
        de Mathelin et al., "Deep Anti-Regularized Ensembles provide reliable
        out-of-distribution uncertainty quantification", 2023.

    Examples:
        >>> import numpy as np
        >>> from antireg import DARE, EnsembleRegressor
        >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
        >>> model = EnsembleRegressor(
        ...     DARE(threshold=0.5), hidden=(20,), steps=100, doubt=None, random_state=0
        ... ).fit(X, X[:, 0])
        >>> print(model.threshold_)
        0.5
    """

    threshold: float | Literal["auto"] = "auto"
    delta: float = 0.25
    start: Literal["random", "reference"] = "random"

    independent: ClassVar[bool] = True
    words: ClassVar[Mapping[str, Collection[str]]] = {"start": ("random", "reference")}
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
        """Train, after a deep ensemble that sets τ or is the start, if one is asked."""
        not_negative("delta", self.delta)
        is_one_of("start", self.start, self.words["start"])
        searched = is_auto("threshold", self.threshold)
        if not searched and self.start == "random":
            return train(self)
        reference = train(DeepEnsemble())
        method = self._under(reference) if searched else self
        if self.start == "reference":
            train = train.continuing(reference, GROWTH)
        return replace(train(method), centre=reference)

    def _under(self, reference: Fit) -> DARE:
        """Return the method with τ a little above the loss of a deep ensemble."""
        loss = float(reference.history.kept_validation_loss.mean())
        threshold = threshold_above(loss, self.delta, reference.bounds, "DARE")
        return replace(self, threshold=threshold)

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
