"""Rehearsals: pairs of members trained for a short time, each without a set of rows."""

from __future__ import annotations

import copy
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antireg.estimators.members import (
    EstimatorSettings,
    epochs_of,
    plan_of,
    rows_per_step,
    steps_per_epoch,
)
from antireg.estimators.retraining import trained_members
from antireg.familiarity.neighbours import Space
from antireg.familiarity.regions import (
    FEWEST_ASKED,
    MOST_ASKED,
    MOST_LEFT_OUT,
    rehearsal_sets,
)
from antireg.methods import DeepEnsemble
from antireg.networks import Stack
from antireg.rows.data import Batch, Data, drawn, rows_of
from antireg.training.problem import Problem

Mask = NDArray[np.bool_]

N_MEMBERS = 2
SHARE_OF_STEPS, SHARE_WITH_BINS = 0.1, 0.05
"""Of those that a fit takes at most; fewer if they have learned by then. Of a pair,
one member has columns in bins, from which it learns faster."""

ROWS_PER_STEP = 32
"""At most: a stack of so many members takes as long as it has rows."""

MOST_ROWS = 50_000
"""Training rows that are rehearsed with; of more, so many are drawn."""

MOST_CHECKS = 4000
"""Most validation rows that choose the epoch to keep."""

FEWEST_FOR_FINE = 1000
"""With fewer rows, fine regions tell nothing that coarse ones and tails do not:
docs/choices.md."""

MOST_WEIGHTS = 2**24
"""Of all members that train together."""


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """A pair of members, and rows for it to predict.

    Attributes:
        network: The pair.
        trained: The rows it was trained on.
        held_out: Validation rows like these.
        left_out: Rows of the set that it was trained without.
    """

    network: Stack
    trained: Data
    held_out: Batch
    left_out: Batch


def rehearsals(
    estimator: EstimatorSettings,
    problem: Problem,
    groups: NDArray[Any] | None,
    network: Stack,
    seed: int,
    folder: Path | None,
) -> list[Rehearsal]:
    """Return pairs of members, each trained without one set of rows.

    A set is skipped if its pair would have too few validation rows. The list is empty
    if a training diverges.

    Args:
        estimator: The settings of the fit.
        problem: What the fit learns.
        groups: Label of each training row, (rows,), if there are any.
        network: The members of the fit.
        seed: Of the fit.
        folder: For checkpoints, if wanted.
    """
    rng = np.random.default_rng([seed, 2])
    some = np.sort(rng.permutation(len(problem.data))[:MOST_ROWS])
    data = drawn(problem.data, some)
    checks = np.sort(rng.permutation(len(problem.validation))[:MOST_CHECKS])
    held_out = drawn(problem.validation, checks)
    inputs = data.x.cpu().numpy()
    beside = Space(inputs, 1).near(held_out.x.cpu().numpy())[1][:, 0]
    # A validation row whose nearest training row is left out is not usual to the pair.
    sets = [
        (mask, near)
        for mask in rehearsal_sets(
            inputs,
            seed,
            None if groups is None else groups[some],
            fine=len(inputs) >= FEWEST_FOR_FINE,
        )
        if len(near := np.flatnonzero(~mask[beside])) >= FEWEST_ASKED
    ]
    share = SHARE_OF_STEPS if network.bins is None else SHARE_WITH_BINS
    steps = share * _steps(estimator, len(problem.data))
    within = Problem(data, held_out, problem.loss)
    masks = [mask for mask, _ in sets]
    at_once = max(1, MOST_WEIGHTS // (N_MEMBERS * network.flat.shape[1]))
    pairs = _trained_pairs(estimator, within, masks, at_once, seed, folder, steps)
    return [
        Rehearsal(
            pair,
            rows_of(data, ~mask),
            drawn(held_out, _at_most(near, MOST_ASKED, rng)),
            drawn(data, _at_most(np.flatnonzero(mask), MOST_LEFT_OUT, rng)),
        )
        for pair, (mask, near) in zip(pairs, sets, strict=False)
    ]


def _trained_pairs(
    estimator: EstimatorSettings,
    problem: Problem,
    masks: Sequence[Mask],
    at_once: int,
    seed: int,
    folder: Path | None,
    steps: float,
) -> list[Stack]:
    """Return a pair for each set of left-out rows, or none if a training diverged.

    Several pairs train as one stack, which is faster than one by one.
    """
    pairs: list[Stack] = []
    for first in range(0, len(masks), at_once):
        left_out = masks[first : first + at_once]
        own = [np.flatnonzero(~mask) for mask in left_out for _ in range(N_MEMBERS)]
        brief = _briefly(estimator, steps, min(map(len, own)), len(own))
        told = zlib.crc32(np.packbits(left_out).tobytes())
        number = int(np.random.SeedSequence([seed, told]).generate_state(1)[0])
        place = None if folder is None else folder / f"rehearsal-{first + 1}"
        plan = plan_of(brief, problem, number, place)
        plan = replace(plan, settings=replace(plan.settings, rows=own))
        found = trained_members(brief, plan, DeepEnsemble(), "rehearsal")
        if found is None:
            return []
        network = found.members
        parts = network.flat.detach().split(N_MEMBERS)
        pairs += [network.with_weights(part) for part in parts]
    return pairs


def _at_most(
    places: NDArray[np.intp], most: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Return the indices, or `most` of them drawn at random if there are more."""
    return places if len(places) <= most else rng.permutation(places)[:most]


def _steps(estimator: EstimatorSettings, n_rows: int) -> int:
    """Return the steps that the fit takes at most."""
    return epochs_of(estimator, n_rows) * steps_per_epoch(estimator, n_rows)


def _briefly(estimator: Any, steps: float, n_rows: int, n_members: int) -> Any:
    """Return the settings for members that train for this many steps."""
    brief = copy.copy(estimator)
    brief.batch_size = min(rows_per_step(estimator.batch_size, n_rows), ROWS_PER_STEP)
    brief.epochs = max(1, round(steps / steps_per_epoch(brief, n_rows)))
    brief.n_members, brief.callbacks, brief.robust = n_members, (), False
    return brief
