"""Repulsive ensembles: members push each other apart in the space of weights."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from antireg.methods.base import Method, Step
from antireg.methods.closed_form import AddGradient, Block
from antireg.networks import Stack


@dataclass
class Repulsive(Method):
    """Keep members apart by a Gaussian kernel on their weights.

    The penalty of member m is  Σ_j k(θ_m, θ_j) / sg Σ_j k(θ_m, θ_j),  with
    k(θ, θ') = exp(−‖θ − θ'‖² / h),  h = median of all ‖θ_i − θ_j‖² / log(members + 1),
    where the other members, h and the denominator are held fixed.

    References:
        D'Angelo and Fortuin, "Repulsive Deep Ensembles are Bayesian", NeurIPS 2021.

    Examples:
        >>> import numpy as np
        >>> from antireg import EnsembleRegressor, Repulsive
        >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
        >>> model = EnsembleRegressor(
        ...     Repulsive(), hidden=(20,), steps=100, doubt=None, random_state=0
        ... ).fit(X, X[:, 0])
        >>> model.network_.n_members
        5
    """

    def penalty(self, step: Step, memory: None) -> Tensor:
        """Return each member's kernel sum divided by its own value, (members,)."""
        weights = step.network.flat
        distance = (weights[:, None] - weights.detach()).square().sum(-1)
        kernel = (-distance / _bandwidth(distance.detach())).exp().sum(1)
        return kernel / kernel.detach()

    def gradient(self, network: Stack, memory: None) -> AddGradient:
        """Return what adds  (2/h)(Σ_j p_mj θ_j − θ_m), p_mj = k_mj / Σ_i k_mi."""
        weights = network.flat.detach()
        distance = torch.cdist(
            weights, weights, compute_mode="donot_use_mm_for_euclid_dist"
        ).square()
        bandwidth = _bandwidth(distance)
        share = (-distance / bandwidth).softmax(1)
        push = (share @ weights - weights) * (2 / bandwidth)
        # Members that coincide have no direction to move apart, only rounding.
        push = torch.where(distance.max() > 0, push, 0.0)

        def add(block: Block, control: float) -> None:
            block.gradient.add_(push[block.member, block.part], alpha=control)

        return add


def _bandwidth(distance: Tensor) -> Tensor:
    """Return the median squared distance over log(members + 1), never zero."""
    # Each member's distance to itself counts, as in the official code. With two members
    # these are half of all distances, and the other one replaces a median of zero.
    median = distance.median()
    median = torch.where(median > 0, median, distance.max())
    tiny = torch.finfo(distance.dtype).tiny
    return median.clamp(min=tiny) / math.log(len(distance) + 1)
