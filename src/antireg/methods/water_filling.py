"""Water-filling: DARE in closed form, drawn around members that are already trained."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import torch
from torch import Tensor

from antireg.history import History
from antireg.methods.base import Fit, Method, Shown, Step, Train, Trained
from antireg.methods.checks import is_auto, is_count, is_one_of, not_negative
from antireg.methods.closed_form import AddGradient
from antireg.methods.deep_ensemble import DeepEnsemble
from antireg.methods.moments import Moments, evenly, moments_of
from antireg.methods.threshold import threshold_above
from antireg.networks import Stack
from antireg.networks.forward import ensemble_loss, evaluate
from antireg.networks.layers import as_weights, flattened
from antireg.rows.checks import shown

FLOOR = 1e-4

MOST_CHECKS = 10_000
"""Validation rows that set the scale; of more, so many are taken evenly."""

LOWEST, HIGHEST = 2.0**-20, 2.0**10
"""Between which a scale is looked for."""

STEPS = 8
"""Bisections of the logarithm between two powers of 2: the scale is within 0.3 %."""

MOST_DRAWS = 1000


@dataclass
class WaterFilling(Method):
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
        layers: Which layers are moved, "first" or "all": linear layers and convolutions
            (whose inputs are patches).
        floor: ε, below which second moments count as the same.
        threshold: τ. "auto" is  L + δ|L|,  L the mean validation loss of the members,
            or less if the estimator is `robust` (`antireg.methods.threshold`).
        delta: δ, how much worse than the members their draws may be.
        scale: c. "auto" finds it by bisection.

    References:
        de Mathelin et al., "Deep Anti-Regularized Ensembles provide reliable
        out-of-distribution uncertainty quantification", 2023, theorem 1.
    """

    draws: int = 10
    layers: Literal["first", "all"] = "first"
    floor: float = FLOOR
    threshold: float | Literal["auto"] = "auto"
    delta: float = 0.25
    scale: float | Literal["auto"] = "auto"

    independent: ClassVar[bool] = True
    words: ClassVar[Mapping[str, Collection[str]]] = {"layers": ("first", "all")}

    def penalty(self, step: Step, memory: None) -> Tensor:
        """Return zero: members are trained plainly, (members,)."""
        return step.outputs.new_zeros(len(step.outputs))

    def gradient(self, network: Stack, memory: None) -> AddGradient:
        """Return what adds nothing."""
        return lambda block, control: None

    def control(self, fit: Tensor) -> Tensor:
        """Return λ = 0: there is nothing to switch on, (members,)."""
        return fit.new_zeros(len(fit))

    def run(self, train: Train) -> Fit:
        """Train a deep ensemble; `finish` draws around it."""
        self._check()
        return replace(train(DeepEnsemble()), method=self)

    def finish(self, fit: Fit, trained: Trained) -> Fit:
        """Return the draws, with the scale and the threshold that were found."""
        members, weigh = trained.network, _weighing(trained)
        found = moments_of(members, trained.data)
        if not found:
            raise ValueError(
                "network must have linear layers or convolutions for WaterFilling to "
                "draw, got none that is trained. Use another method."
            )
        chosen = found[:1] if self.layers == "first" else found
        moved = _moves(members, chosen, self.floor, self.draws, trained.seeds)
        centres = members.flat.detach().repeat_interleave(self.draws, 0)
        threshold, scale = self.threshold, self.scale
        if threshold == "auto":
            loss = weigh(members.flat)
            threshold = threshold_above(loss, self.delta, fit.bounds, "WaterFilling")
        if scale == "auto":
            scale = largest_scale(
                lambda c: weigh(centres + c * moved), float(threshold)
            )
        weights = centres + float(scale) * moved
        method = replace(self, threshold=threshold, scale=scale)
        drawn = members.with_weights(weights)
        loss = ensemble_loss(drawn, trained.validation, trained.loss)
        return replace(fit, method=method, weights=weights, ensemble_loss=loss)

    def shown(self) -> Sequence[Shown]:
        """Return τ, once it is known."""
        if self.threshold == "auto":
            return ()
        meaning = "Draws may be as far from their members as their loss is under τ"
        return [Shown("threshold", "τ", float(self.threshold), meaning)]

    def advice(self, history: History) -> str | None:
        """Return what kept the draws at their members."""
        if self.scale != 0:
            return None
        return (
            f"WaterFilling: scale is 0, as no draw has a validation loss of at most "
            f"threshold={float(self.threshold):.4g}: the ensemble is a deep ensemble. "
            "Raise delta or threshold."
        )

    def _check(self) -> None:
        for name, value in ("delta", self.delta), ("floor", self.floor):
            not_negative(name, value)
        is_auto("threshold", self.threshold)
        if not is_auto("scale", self.scale) and not 0 <= float(self.scale) <= HIGHEST:
            raise ValueError(
                f"scale must be a number from 0 to {HIGHEST:g}, got "
                f"{shown(self.scale)}."
            )
        is_count("draws", self.draws, MOST_DRAWS)
        is_one_of("layers", self.layers, self.words["layers"])


def largest_scale(loss_of: Callable[[float], float], threshold: float) -> float:
    """Return about the largest scale whose loss is at most the threshold, or 0.

    Args:
        loss_of: From a scale to a loss, which rises with it.
        threshold: τ.
    """

    def fits(scale: float) -> bool:
        return loss_of(scale) <= threshold  # which a loss that is not finite is not

    high = 1.0
    while high < HIGHEST and fits(high):
        high *= 2
    if high == HIGHEST and fits(high):
        return high
    low = high / 2
    while low >= LOWEST and not fits(low):
        low, high = low / 2, low
    if low < LOWEST:
        return 0.0
    for _ in range(STEPS):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _weighing(trained: Trained) -> Callable[[Tensor], float]:
    """Return what gives the mean validation loss of members with some weights."""
    rows = evenly(trained.validation, MOST_CHECKS)

    def loss_of(weights: Tensor) -> float:
        network = trained.network.with_weights(weights)
        return evaluate(network, rows, trained.loss, trained.row_limit).mean().item()

    return loss_of


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
