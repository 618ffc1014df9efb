"""Anchored ensembles: each member is pulled towards weights drawn for it alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from antireg.methods.base import Fit, Method, Step, Train
from antireg.methods.checks import is_auto, not_negative
from antireg.methods.closed_form import AddGradient, Block
from antireg.methods.search import best, tried
from antireg.networks import Stack
from antireg.rows.data import Data

SCALES = (0.1, 1.0, 10.0)
STRENGTHS = (0.1, 1.0, 10.0)


class Anchors(NamedTuple):
    """Anchors, (members, weights), and each weight's share in the mean, (weights,)."""

    weights: Tensor
    shares: Tensor


@dataclass
class AnchorNet(Method):
    """Keep every member near an anchor drawn from the prior.

    The penalty of member m is  strength · mean over tensors of mean (θ_m − a_m)²,
    with anchors  a ~ N(0, scale²)  that are drawn once.

    Args:
        strength: Pull towards the anchor. "auto" chooses it on the validation rows.
        scale: Standard deviation of the anchors; chosen together with strength.

    References:
        Pearce et al., "Uncertainty in Neural Networks: Approximately Bayesian
        Ensembling", AISTATS 2020.

    Examples:
        >>> import numpy as np
        >>> from antireg import AnchorNet, EnsembleRegressor
        >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
        >>> method = AnchorNet(strength=0.1)
        >>> model = EnsembleRegressor(
        ...     method, hidden=(20,), steps=100, doubt=None, random_state=0
        ... ).fit(X, X[:, 0])
        >>> model.method_
        AnchorNet(strength=0.1, scale=1.0)
    """

    strength: float | Literal["auto"] = "auto"
    scale: float = 1.0

    independent: ClassVar[bool] = True

    def init(self, network: Stack, data: Data, seeds: Sequence[int]) -> Anchors:
        """Draw the anchors."""
        # The seed alone already gives the order of the member's rows.
        rngs = [np.random.default_rng([seed, 1]) for seed in seeds]
        size = network.flat.shape[1]
        drawn = np.stack([rng.standard_normal(size, np.float32) for rng in rngs])
        weights = torch.from_numpy(drawn).to(network.flat.device) * self.scale
        return Anchors(weights, shares(network))

    def penalty(self, step: Step, memory: Anchors) -> Tensor:
        """Return each member's squared distance to its anchor, scaled, (members,)."""
        squared = (step.network.flat - memory.weights).square()
        return float(self.strength) * (squared * memory.shares).sum(1)

    def gradient(self, network: Stack, memory: Anchors) -> AddGradient:
        """Return what adds  λ · 2 · strength · share · (θ − a)  to the gradient."""
        twice = 2 * float(self.strength)

        def add(block: Block, control: float) -> None:
            anchor = memory.weights[block.member, block.part]
            away = torch.sub(block.weights, anchor, out=block.spare)
            shares = memory.shares[block.part]
            block.gradient.addcmul_(away, shares, value=twice * control)

        return add

    def run(self, train: Train) -> Fit:
        """Train; if strength is "auto", choose both on the validation rows."""
        not_negative("scale", self.scale)
        if not is_auto("strength", self.strength):
            not_negative("strength", self.strength)
            return train(self)
        # As in the paper's scripts: the whole grid, but within the largest scale
        # only up to the first strength that is no better.
        fits = []
        for scale in SCALES:
            grid = (replace(self, scale=scale, strength=s) for s in STRENGTHS)
            fits += tried(train, grid, stop=scale == SCALES[-1])
        return best(fits)


def shares(network: Stack) -> Tensor:
    """Return each weight's share in the mean of its member's tensors, (weights,)."""
    sizes = torch.tensor([math.prod(shape) for shape in network.shapes.values()])
    share = 1 / (len(sizes) * sizes.to(network.flat.dtype))
    return share.repeat_interleave(sizes).to(network.flat.device)
