"""Candidates trained one after another, and the best of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from antireg.methods.base import DivergedError, Fit, Method, Train
from antireg.methods.checks import is_auto, not_negative


def tried(train: Train, candidates: Iterable[Method], stop: bool) -> list[Fit]:
    """Return the fits of the candidates that did not diverge, in order.

    Args:
        train: Trains a candidate.
        candidates: What to try, in order.
        stop: Whether to stop at the first whose ensemble loss is no better.
    """
    candidates = list(candidates)
    fits: list[Fit] = []
    failure = None
    for number, candidate in enumerate(candidates, start=1):
        try:
            fit = train(candidate, candidates[number:])
        except DivergedError as error:
            failure = error
            continue
        fits.append(fit)
        if stop and len(fits) > 1 and not fit.ensemble_loss < fits[-2].ensemble_loss:
            break
    if not fits and failure is not None:
        raise failure
    return fits


def best(fits: Iterable[Fit]) -> Fit:
    """Return the fit of lowest ensemble loss."""
    return min(fits, key=lambda fit: fit.ensemble_loss)


def with_best_strength(method: Any, train: Train, strengths: Sequence[float]) -> Fit:
    """Return the fit of a method; a strength of "auto" is the best of these.

    Args:
        method: A dataclass with a `strength`.
        train: Trains it.
        strengths: To try, up to the first that is no better than the one before.
    """
    if is_auto("strength", method.strength):
        grid = (replace(method, strength=strength) for strength in strengths)
        return best(tried(train, grid, stop=True))
    not_negative("strength", method.strength)
    return train(method)
