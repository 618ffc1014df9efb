"""Draws around trained members, as far from them as their loss allows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from torch import Tensor

from antireg.history import History
from antireg.methods.base import Fit, Method, Shown, Trained
from antireg.methods.checks import is_auto, is_count, is_one_of, not_negative
from antireg.methods.moments import evenly
from antireg.methods.threshold import threshold_above
from antireg.networks import Stack
from antireg.networks.forward import ensemble_loss, evaluate
from antireg.rows.checks import shown

MOST_CHECKS = 10_000
"""Validation rows that set the scale; of more, so many are taken evenly."""

LOWEST, HIGHEST = 2.0**-20, 2.0**10
"""Between which a scale is looked for."""

STEPS = 8
"""Bisections of the logarithm between two powers of 2: the scale is within 0.3 %."""

MOST_DRAWS = 1000


@dataclass
class Draws(Method):
    """A method that draws around trained members; subclasses say in which directions.

    Args:
        draws: Networks drawn around each member.
        threshold: τ. "auto" is  L + δ|L|,  L the mean validation loss of the members,
            or less if the estimator is `robust` (`antireg.methods.threshold`).
        delta: δ, how much worse than the members their draws may be.
        scale: c, by which draws are moved from their members. "auto" is the largest at
            which the mean validation loss of the draws is at most τ.
    """

    draws: int = 10
    threshold: float | Literal["auto"] = "auto"
    delta: float = 0.25
    scale: float | Literal["auto"] = "auto"

    def moved(self, fit: Fit, trained: Trained, members: Stack, moves: Tensor) -> Fit:
        """Return the draws, with the scale and the threshold that were found.

        Args:
            fit: Of the members.
            trained: The rows.
            members: That the draws are around.
            moves: From its member to each draw at a scale of 1, (draws, weights).
        """
        loss_of = _losses(trained, members)
        centres = members.flat.detach().repeat_interleave(self.draws, 0)
        threshold, scale = self.threshold, self.scale
        if threshold == "auto":
            loss, name = loss_of(members.flat), type(self).__name__
            threshold = threshold_above(loss, self.delta, fit.bounds, name)
        if scale == "auto":
            scale = largest_scale(lambda c: loss_of(centres + c * moves), threshold)
        weights = centres + float(scale) * moves
        drawn = members.with_weights(weights)
        return replace(
            fit,
            method=replace(self, threshold=threshold, scale=scale),
            weights=weights,
            ensemble_loss=ensemble_loss(drawn, trained.validation, trained.loss),
            network=None,
        )

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
            f"{type(self).__name__}: scale is 0, as no draw has a validation loss of "
            f"at most threshold={float(self.threshold):.4g}: the ensemble is a deep "
            "ensemble. Raise delta or threshold."
        )

    def check(self) -> None:
        """Raise for a setting that cannot be."""
        is_count("draws", self.draws, MOST_DRAWS)
        is_auto("threshold", self.threshold)
        not_negative("delta", self.delta)
        if not is_auto("scale", self.scale) and not 0 <= float(self.scale) <= HIGHEST:
            raise ValueError(
                f"scale must be a number from 0 to {HIGHEST:g}, got "
                f"{shown(self.scale)}."
            )
        for name, words in self.words.items():
            is_one_of(name, getattr(self, name), words)


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


def _losses(trained: Trained, members: Stack) -> Callable[[Tensor], float]:
    """Return what gives the mean validation loss of members with some weights."""
    rows = evenly(trained.validation, MOST_CHECKS)

    def loss_of(weights: Tensor) -> float:
        network = members.with_weights(weights)
        return evaluate(network, rows, trained.loss, trained.row_limit).mean().item()

    return loss_of
