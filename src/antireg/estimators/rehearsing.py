"""Members that rehearse: pairs trained for a short time, each without a set of rows."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from antireg.estimators.members import Wishes, epochs_of, plan_of, rows_per_step
from antireg.estimators.retraining import trained_members
from antireg.familiarity.neighbours import Space
from antireg.familiarity.regions import rehearsal_sets
from antireg.methods import DeepEnsemble
from antireg.networks import Stack
from antireg.rows.data import Batch, Batches, Data, rows_of
from antireg.training.problem import Problem

Mask = NDArray[np.bool_]

N_MEMBERS = 2
SHARE_OF_STEPS = 0.2
MOST_ROWS = 100_000
"""Training rows that are rehearsed with; of more, so many are drawn."""

MOST_HELD_OUT = 500
MOST_LEFT_OUT = 150
"""Rows of each kind that a pair is asked about."""

FEWEST_HELD_OUT = 8
"""A pair with fewer says nothing of what is usual to it."""


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """A pair of members, and rows to ask it about.

    Attributes:
        network: The pair.
        trained: The rows it was trained on.
        held_out: Rows like these that it was not trained on.
        left_out: Rows of the set that it was trained without.
    """

    network: Stack
    trained: Data
    held_out: Batch
    left_out: Batch


def drawn(data: Data, places: NDArray[np.intp]) -> Batch:
    """Return the rows of these places, in that order and in memory.

    Args:
        data: Rows, perhaps on disk.
        places: Which.
    """
    numbers = torch.from_numpy(np.asarray(places, dtype=np.int64))
    return Batches(data).take(numbers.to(data.y.device))


def rehearsals(
    wishes: Wishes,
    problem: Problem,
    groups: NDArray[Any] | None,
    seed: int,
    folder: Path | None,
) -> Iterator[Rehearsal]:
    """Yield pairs of members, each trained without one set of rows.

    A set is passed over if a pair would have too few held-out rows, and if its training
    diverges.

    Args:
        wishes: The settings of the fit.
        problem: What the fit learns.
        groups: Label of each training row, (rows,), if there are any.
        seed: Of the fit.
        folder: Where trainings are written as they go, if anywhere.
    """
    rng = np.random.default_rng([seed, 2])
    some = np.sort(rng.permutation(len(problem.data))[:MOST_ROWS])
    data = drawn(problem.data, some)
    groups = None if groups is None else groups[some]
    chosen = np.sort(rng.permutation(len(problem.validation))[:MOST_ROWS])
    held_out = drawn(problem.validation, chosen)
    inputs = data.x.cpu().numpy()
    beside = Space(inputs, 1).near(held_out.x.cpu().numpy())[1][:, 0]
    steps = SHARE_OF_STEPS * _steps(wishes, len(problem.data))
    for number, left_out in enumerate(rehearsal_sets(inputs, seed, groups)):
        # A held-out row beside rows that were left out is not usual to this pair.
        near = np.flatnonzero(~left_out[beside])
        if len(near) < FEWEST_HELD_OUT:
            continue
        usual, unusual = near, np.flatnonzero(left_out)
        if len(usual) > MOST_HELD_OUT:
            usual = rng.permutation(usual)[:MOST_HELD_OUT]
        if len(unusual) > MOST_LEFT_OUT:
            unusual = rng.permutation(unusual)[:MOST_LEFT_OUT]
        kept = rows_of(data, ~left_out)
        checked = drawn(held_out, usual)
        brief = _briefly(wishes, steps, len(kept))
        plan = plan_of(
            brief,
            Problem(kept, checked, problem.loss),
            int(np.random.SeedSequence([seed, number]).generate_state(1)[0]),
            None if folder is None else folder / f"rehearsal-{number + 1}",
        )
        network = trained_members(brief, plan, DeepEnsemble())
        if network is not None:
            yield Rehearsal(network, kept, checked, drawn(data, unusual))


def _steps(wishes: Wishes, n_rows: int) -> int:
    """Return the steps that the fit takes."""
    per_epoch = -(-n_rows // rows_per_step(wishes.batch_size, n_rows))
    return epochs_of(wishes, n_rows) * per_epoch


def _briefly(wishes: Any, steps: float, n_rows: int) -> Any:
    """Return the settings of a pair that takes so many steps."""
    brief = copy.copy(wishes)
    per_epoch = -(-n_rows // rows_per_step(wishes.batch_size, n_rows))
    brief.epochs = max(1, round(steps / per_epoch))
    brief.n_members, brief.callbacks, brief.robust = N_MEMBERS, (), False
    return brief
