"""Candidates trained one after another, and the best of them."""

from __future__ import annotations

from collections.abc import Iterable

from antireg.methods.base import DivergedError, Fit, Method, Train


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
