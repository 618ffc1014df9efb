"""Fits the numbers of doubt to rehearsals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize

from antireg.familiarity.doubt import (
    DEFAULT_REACH,
    START,
    ClassDoubt,
    Curve,
    Doubt,
)
from antireg.familiarity.neighbours import Array
from antireg.predictive import GaussianMixture

BOUNDS = [(-3.0, 9.0), (-5.0, 2.0), (-1.0, 1.5), (-6.0, 1.0), (-0.5, 2.5)]
PULL = 0.005
"""Factor of the penalty on the squared distance from `START`."""

MOST_ITERATIONS, TINY = 80, 1e-300
SURE = 0.95
"""Doubt starts at this quantile of validation rows, ends at that of left-out rows."""

SHARES = (0.25, 0.25, 0.5)
"""Of the loss: validation rows with the final members, validation rows with rehearsed
members, left-out rows with rehearsed members."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """The answers of members to rows they were not trained on, beside the truth.

    Attributes:
        unfamiliar: How unfamiliar each row is, (rows,).
        weight: Of each row, (rows,).
    """

    unfamiliar: Array
    weight: Array


@dataclass(frozen=True, eq=False)
class ValueEvidence(Evidence):
    """The answers of a regressor.

    Attributes:
        mean: Of the ensemble, (rows, targets) like all below.
        noise: Mean σ² of the members.
        disagreement: Unbiased variance of the members' means.
        y: True values.
        on_line: What a straight line says; if there is none, the constant.
        on_line_variance: Of new rows around it; if there is none, of the constant's.
    """

    mean: Array
    noise: Array
    disagreement: Array
    y: Array
    on_line: Array
    on_line_variance: Array


@dataclass(frozen=True, eq=False)
class ClassEvidence(Evidence):
    """The answers of a classifier.

    Attributes:
        probability: Of the true class, (rows,).
        frequency: Share of the true class among the training rows, (rows,).
    """

    probability: Array
    frequency: Array


def fit_doubt(
    held_out: Sequence[ValueEvidence],
    rehearsed_held_out: Sequence[ValueEvidence],
    rehearsed: Sequence[ValueEvidence],
    mean: Array,
    variance: Array,
) -> Doubt:
    """Return the doubt with the least negative log-likelihood.

    Args:
        held_out: Answers of the final members to validation rows.
        rehearsed_held_out: Answers of rehearsed members to validation rows, by set.
        rehearsed: Answers of rehearsed members to the rows they left out, by set.
        mean: ȳ of each target, (targets,).
        variance: s² of each target, (targets,).
    """
    parts = held_out, rehearsed_held_out, rehearsed
    start, end = _ends(held_out, rehearsed_held_out, rehearsed)

    def made(numbers: Array) -> Doubt:
        return _doubt(numbers, start, end, mean, variance)

    def loss(numbers: Array, told: ValueEvidence) -> Array:
        return negative_log_likelihood(made(numbers), told)

    return made(_fitted(loss, parts, len(START)))


def doubted_answers(
    doubt: Doubt, rehearsed: Sequence[ValueEvidence]
) -> list[tuple[GaussianMixture, Array]]:
    """Return the answers to doubted rows of sets that have any, and their true values.

    Args:
        doubt: As fitted.
        rehearsed: Answers of rehearsed members to the rows they left out, by set.
    """
    answers = []
    for told in rehearsed:
        w = doubt.curve.weight(told.unfamiliar)[:, None]
        doubted = np.flatnonzero(w > 0)
        if not doubted.size:
            continue
        v = doubt.curve.line_share(told.unfamiliar)[:, None]
        own = doubt.pooled(told.mean, told.noise, told.disagreement, told.unfamiliar)
        rows, beside = np.ones_like(w), np.exp(doubt.width) * told.on_line_variance
        mixture = GaussianMixture(
            np.stack([own.mean, doubt.mean * rows, told.on_line]),
            np.stack([own.variance, doubt.fallback_variance * rows, beside]),
            np.stack([1 - w, w * (1 - v), w * v]),
        )
        answers.append((mixture.at(doubted), told.y[doubted]))
    return answers


def fit_class_doubt(
    held_out: Sequence[ClassEvidence],
    rehearsed_held_out: Sequence[ClassEvidence],
    rehearsed: Sequence[ClassEvidence],
    frequencies: Array,
) -> ClassDoubt:
    """Return the doubt with the least log-loss; arguments as in `fit_doubt`."""
    parts = held_out, rehearsed_held_out, rehearsed
    start, end = _ends(*parts)

    def loss(numbers: Array, told: ClassEvidence) -> Array:
        w = Curve(numbers[0], numbers[1], start, end).weight(told.unfamiliar)
        return -np.log((1 - w) * told.probability + w * told.frequency + 1e-12)

    a, b = _fitted(loss, parts, 2)
    return ClassDoubt(Curve(float(a), float(b), start, end), frequencies)


def default_doubt(unfamiliar: Array, mean: Array, variance: Array) -> Doubt:
    """Return the default doubt, for a table that is too small for rehearsals.

    Args:
        unfamiliar: Of validation rows, (rows,).
        mean: ȳ of each target, (targets,).
        variance: s² of each target, (targets,).
    """
    start = float(np.quantile(unfamiliar, SURE))
    return _doubt(START, start, start + DEFAULT_REACH, mean, variance)


def default_class_doubt(unfamiliar: Array, frequencies: Array) -> ClassDoubt:
    """Return the same for classes.

    Args:
        unfamiliar: Of validation rows, (rows,).
        frequencies: Share of each class, (classes,).
    """
    start = float(np.quantile(unfamiliar, SURE))
    curve = Curve(float(START[0]), float(START[1]), start, start + DEFAULT_REACH)
    return ClassDoubt(curve, frequencies)


def negative_log_likelihood(doubt: Doubt, told: ValueEvidence) -> Array:
    """Return  −log[(1 − w) N(μ̄, V) + w(1 − v) N(ȳ, e^f s²) + w v N(ℓ, e^f s_ℓ²)].

    It is the mean over targets, without the constant ½ log 2π, (rows,).
    """
    w = np.clip(doubt.curve.weight(told.unfamiliar), 1e-12, 1 - 1e-12)[:, None]
    own = doubt.pooled(told.mean, told.noise, told.disagreement, told.unfamiliar)
    near = _log_normal(told.y - own.mean, own.variance)
    constant = _log_normal(told.y - doubt.mean, doubt.fallback_variance)
    beside = np.exp(doubt.width) * told.on_line_variance
    line = _log_normal(told.y - told.on_line, beside)
    v = doubt.curve.line_share(told.unfamiliar)[:, None]
    far = np.logaddexp(np.log1p(-v) + constant, np.log(v) + line)
    return np.asarray(-np.logaddexp(np.log1p(-w) + near, np.log(w) + far).mean(axis=1))


def _log_normal(away: Array, variance: Array) -> Array:
    variance = np.maximum(variance, TINY)
    return np.asarray(-0.5 * (np.square(away) / variance + np.log(variance)))


def _doubt(
    numbers: Array, start: float, end: float, mean: Array, variance: Array
) -> Doubt:
    a, b, c, d, f = map(float, numbers)
    return Doubt(Curve(a, b, start, end), c, d, f, mean, variance)


def _ends(
    held_out: Sequence[Evidence],
    rehearsed_held_out: Sequence[Evidence],
    rehearsed: Sequence[Evidence],
) -> tuple[float, float]:
    """Return where doubt starts and where it ends."""
    known = [told.unfamiliar for told in (*held_out, *rehearsed_held_out)]
    start = float(np.quantile(np.concatenate(known), SURE))
    unknown = np.concatenate([told.unfamiliar for told in rehearsed])
    return start, float(np.quantile(unknown, SURE))


def _fitted(
    loss: Callable[[Array, Any], Array],
    parts: Sequence[Sequence[Evidence]],
    n_numbers: int,
) -> Array:
    """Return the numbers with the least loss; all sets of a part count the same."""
    told = _one_set(parts)

    def objective(numbers: Array) -> float:
        pull = PULL * float(np.square(numbers - START[:n_numbers]).sum())
        return float(told.weight @ loss(numbers, told)) + pull

    found = minimize(
        objective,
        START[:n_numbers],
        method="L-BFGS-B",
        bounds=BOUNDS[:n_numbers],
        options={"maxiter": MOST_ITERATIONS},
    )
    return np.asarray(found.x)


def _one_set(parts: Sequence[Sequence[Evidence]]) -> Evidence:
    """Return the rows of all sets, weighted so that each part has its share."""
    weighted = [
        replace(told, weight=share / len(sets) * told.weight / told.weight.sum())
        for share, sets in zip(SHARES, parts, strict=True)
        for told in sets
    ]
    names = [field.name for field in fields(weighted[0])]
    joined = {n: np.concatenate([getattr(t, n) for t in weighted]) for n in names}
    return replace(weighted[0], **joined)
