"""Water-filling: DARE in closed form, drawn around members that are already trained."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import torch
from torch import Tensor

from antireg.methods.base import Fit, Train, Trained
from antireg.methods.checks import not_negative
from antireg.methods.deep_ensemble import DeepEnsemble, Plain
from antireg.methods.draws import Draws
from antireg.methods.moments import FLOOR, Moments, moments_of
from antireg.networks import Stack
from antireg.networks.layers import as_weights, flattened

HARDLY, MOST_DIRECTIONS = 1e-4, 0.5
"""A direction with less than this share of the largest second moment is hardly used;
where at least half are so, the first layer is drawn alone. docs/choices.md says why."""


@dataclass
class WaterFilling(Plain, Draws):
    """Draw around trained members, most where it costs their loss least.

    A plain deep ensemble is trained. Then each member is drawn several times: for a
    layer with inputs φ (1 for the bias included), second moments  S = E[φφᵀ]  over
    training rows and outputs of standard deviation r, the kernel is moved by

        ΔW = c · r · (S + ε λ I)^{−½} Z / √p,

    Z standard normal, λ the largest eigenvalue of S, p the number of inputs. This is
    the variance C / s² along each direction of the inputs that theorem 1 of DARE says
    anti-regularization ends in. The scale c is as large as the mean validation loss of
    the draws allows: at most τ. The ensemble has members × draws members.

    Args:
        draws: Networks drawn around each member.
        threshold: τ. "auto" is  L + δ|L|,  L the mean validation loss of the members,
            or less if the estimator is `robust` (`antireg.methods.threshold`).
        delta: δ, how much worse than the members their draws may be.
        scale: c. "auto" finds it by bisection.
        floor: ε, below which second moments count as the same.
        layers: Which linear layers and convolutions (whose inputs are patches) are
            moved: the "first" or "all". "auto" is the first if most directions of its
            inputs are hardly used by training rows, as with many features, else all.

    References:
        de Mathelin et al., "Deep Anti-Regularized Ensembles provide reliable
        out-of-distribution uncertainty quantification", 2023, theorem 1.

    Examples:
        >>> import numpy as np
        >>> from antireg import EnsembleRegressor, WaterFilling
        >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
        >>> method = WaterFilling(draws=4)
        >>> model = EnsembleRegressor(
        ...     method, hidden=(20,), steps=100, doubt=None, random_state=0
        ... ).fit(X, X[:, 0])
        >>> model.network_.n_members
        20
    """

    floor: float = FLOOR
    layers: Literal["auto", "first", "all"] = "auto"

    words: ClassVar[Mapping[str, Collection[str]]] = {
        "layers": ("auto", "first", "all")
    }

    def run(self, train: Train) -> Fit:
        """Train a deep ensemble; `finish` draws around it."""
        self.check()
        not_negative("floor", self.floor)
        return replace(train(DeepEnsemble()), method=self)

    def finish(self, fit: Fit, trained: Trained) -> Fit:
        """Return the draws around the members."""
        members = trained.network
        found = moments_of(members, trained.data)
        layers = self.layers
        if layers == "auto":
            layers = "first" if found[0].unused(HARDLY) >= MOST_DIRECTIONS else "all"
        chosen = found[:1] if layers == "first" else found
        moves = _moves(members, chosen, self.floor, self.draws, trained.seeds)
        return replace(self, layers=layers).moved(fit, trained, members, moves)


def _moves(
    network: Stack,
    moments: Sequence[Moments],
    floor: float,
    draws: int,
    seeds: Sequence[int],
) -> Tensor:
    """Return ΔW for a scale of 1, (members · draws, weights), a member's in a row."""
    parts: dict[str, Tensor] = {}
    rngs = [torch.Generator().manual_seed(seed) for seed in seeds]
    for found in moments:
        matrix = torch.cat([*_drawn(network, found, floor, draws, rngs)])
        parts |= as_weights(matrix, found.layer, network.shapes)
    return flattened(parts, network.shapes, draws * network.n_members)


def _drawn(
    network: Stack,
    found: Moments,
    floor: float,
    draws: int,
    rngs: Sequence[torch.Generator],
) -> Iterator[Tensor]:
    """Yield the moves of a layer of each member, (draws, inputs, units)."""
    roots = found.inverse_root(floor).float()
    scales = found.scale(network)
    n_inputs, n_units = found.second.shape[1], found.units(network)
    for member, rng in enumerate(rngs):
        shape = (draws, n_inputs, n_units)
        noise = torch.randn(shape, generator=rng, dtype=torch.float32)
        root = roots[min(member, len(roots) - 1)]
        factor = float(scales[member]) / math.sqrt(n_inputs)
        yield factor * (root @ noise.to(root.device))
