"""Maximum weight entropy: noise on trained weights grows while the loss allows it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import torch
from torch import Tensor

from antireg.methods.base import Fit, Step, Train, Trained
from antireg.methods.checks import is_auto, not_negative
from antireg.methods.dare_loss import keeps
from antireg.methods.deep_ensemble import DeepEnsemble
from antireg.methods.draws import Draws
from antireg.methods.moments import FLOOR, Moments, moments_of
from antireg.methods.threshold import threshold_above
from antireg.networks import Stack
from antireg.networks.noisy import NOISES, Directions, NoisyStack
from antireg.rows.data import Data

START = 0.05
"""Size of the noise before it grows, as a share of what leaves a layer."""

GROWTH, LR = 0.05, 50.0
"""Epochs in which it grows, and their step size, as shares of a whole training's: the
logarithm of a size moves by 0.05 at each step."""

LOOK = -2
"""Number of the epoch that the final draws are from: no training has it."""


@dataclass
class MaxWEnt(Draws):
    """Bayesian DARE: reward noise on the weights of trained members.

    A plain deep ensemble is trained, perhaps of one member. Then its weights W̄ are
    frozen, and a network is drawn anew at each step,

        W = W̄ + V (φ ⊙ z),    penalty  −strength · mean_k log φ_k,

    with V the eigenvectors of the second moments of what enters a layer, and z of mean
    0 and variance 1. With  strength = 2(τ − L)  the loss that it rewards ends near τ:
    at the best φ of a quadratic loss, each of K sizes costs  φ_k² s_k² = strength / 2K.
    At the end, each member is drawn several times, all moved by one scale that puts
    their mean validation loss at τ.

    Args:
        draws: Networks drawn around each member.
        threshold: τ. "auto" is  L + δ|L|,  L the mean validation loss of the members,
            or less if the estimator is `robust` (`antireg.methods.threshold`).
        delta: δ, how much worse than the members their draws may be.
        scale: By which final draws are moved. "auto" finds it by bisection.
        strength: Of the reward. "auto" is  2(τ − L).
        directions: V: those of the "inputs" of each layer, or single "weights".
        noise: z: "normal" or "uniform".
        reward: The mean of "log" φ, or of φ itself ("mean"), which puts all noise where
            it costs least.

    References:
        de Mathelin, Deheeger, Mougeot, Vayatis, "Maximum Weight Entropy", JMLR 2025.

    Examples:
        >>> import numpy as np
        >>> from antireg import EnsembleRegressor, MaxWEnt
        >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
        >>> model = EnsembleRegressor(
        ...     MaxWEnt(draws=4), hidden=(20,), steps=100, doubt=None, random_state=0
        ... ).fit(X, X[:, 0])
        >>> model.network_.n_members
        20
    """

    strength: float | Literal["auto"] = "auto"
    directions: Literal["inputs", "weights"] = "inputs"
    noise: Literal["normal", "uniform"] = "normal"
    reward: Literal["log", "mean"] = "log"

    independent: ClassVar[bool] = True
    words: ClassVar[Mapping[str, Collection[str]]] = {
        "directions": ("inputs", "weights"),
        "noise": tuple(NOISES),
        "reward": ("log", "mean"),
    }

    def around(self, network: Stack, data: Data, seeds: Sequence[int]) -> Stack:
        """Return the members with noise on all layers."""
        if isinstance(network, NoisyStack):  # in a worker
            return network
        found = [self._directed(network, one) for one in moments_of(network, data)]
        directions, sizes = zip(*found, strict=True)
        flat = torch.cat([size.flatten(1) for size in sizes], 1)
        return NoisyStack(flat, network, directions, seeds, self.noise)

    def _directed(self, network: Stack, moments: Moments) -> tuple[Directions, Tensor]:
        """Return directions of a layer and its log sizes, (members, inputs, units)."""
        n_inputs, n_units = moments.second.shape[1], moments.units(network)
        if self.directions == "inputs":
            variances, basis = moments.principal
        else:
            variances, basis = moments.second.diagonal(dim1=1, dim2=2), None
        most = variances.amax(1, keepdim=True)
        most = torch.where(most > 0, most, 1.0)
        sizes = START / math.sqrt(n_inputs) * (variances + FLOOR * most).rsqrt()
        scale = moments.scale(network).clamp(min=math.sqrt(FLOOR))
        logarithm = (scale[:, None] * sizes).log().float()[:, :, None]
        around = None if basis is None else basis.float()
        directions = Directions(moments.layer, around, n_inputs, n_units)
        return directions, logarithm.repeat(1, 1, n_units)

    def penalty(self, step: Step, memory: None) -> Tensor:
        """Return minus the mean log size of each member's noise, scaled, (members,)."""
        sizes = step.network.flat if self.reward == "log" else step.network.flat.exp()
        return -float(self.strength) * sizes.mean(1)

    def keep(self, validation_loss: Tensor, kept: Tensor) -> Tensor:
        """Return the members at or below τ; before that, those at their best."""
        return keeps(validation_loss, kept, float(self.threshold))

    def run(self, train: Train) -> Fit:
        """Train a deep ensemble, then the noise around it."""
        self.check()
        if not is_auto("strength", self.strength):
            not_negative("strength", self.strength)
        reference = train(DeepEnsemble())
        loss = float(reference.history.kept_validation_loss.mean())
        method = self
        if self.threshold == "auto":
            bounds = reference.bounds
            threshold = threshold_above(loss, self.delta, bounds, "MaxWEnt")
            method = replace(method, threshold=threshold)
        if self.strength == "auto":
            slack = max(float(method.threshold) - loss, 0.0)
            method = replace(method, strength=2 * slack)
        return train.continuing(reference, GROWTH, LR)(method)

    def finish(self, fit: Fit, trained: Trained) -> Fit:
        """Return draws around the members, with the sizes that were found."""
        noisy = trained.network
        assert isinstance(noisy, NoisyStack)
        with torch.no_grad():
            drawn = noisy.draws(LOOK, self.draws)
        moves = drawn - noisy.base.flat.detach().repeat_interleave(self.draws, 0)
        return self.moved(fit, trained, noisy.base, moves)
