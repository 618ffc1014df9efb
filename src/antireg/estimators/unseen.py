"""What members say of rows they were not trained on, if there are few validation rows.

A small table has few of them, too few to learn a threshold, a noise or the width of
intervals from, and so has one of few groups: a group or two are no sample of those that
will come. So the members are trained again without parts of the other rows, which then
serve as validation rows too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antireg.estimators.left_out import LeftOut
from antireg.estimators.members import Prepared
from antireg.estimators.retraining import Array, Mask, Retraining, Rows
from antireg.methods import Fit
from antireg.networks import Centred
from antireg.networks.forward import forward
from antireg.rows.holdout import all_but_one_of_each, groups_to_leave_out
from antireg.rows.near_copies import values_of, warn_of_near_copies

N_PARTS = 5
"""At most this many trainings, each without one part."""

ENOUGH, ENOUGH_GROUPS = 130, 10
"""With this many rows that members were not trained on, and as many groups of them, no
more are needed."""

MOST_ROWS = 100_000
"""With more rows, nothing is trained again to have more groups: it takes too long."""


def parts_to_leave_out(
    groups: NDArray[Any], trained: Mask, rng: np.random.Generator
) -> list[Rows]:
    """Return as many fifths of the rows as are needed for `ENOUGH`, perhaps none.

    Every part has its share of every group; one row of each group is in no part.

    Args:
        groups: Label of each row, (rows,).
        trained: Which rows the members were trained on, (rows,).
        rng: Source of randomness.
    """
    shuffled = rng.permutation(np.flatnonzero(trained))
    candidates = all_but_one_of_each(groups, shuffled)
    missing = ENOUGH - int((~trained).sum())
    if missing <= 0 or len(candidates) < N_PARTS:
        return []
    wanted = -(-missing // (len(candidates) // N_PARTS))
    return [candidates[first::N_PARTS] for first in range(min(wanted, N_PARTS))]


class Unseen(NamedTuple):
    """Rows that members were not trained on, with the members' outputs.

    Attributes:
        outputs: (members, rows, outputs).
        y: Targets or classes of these rows, as given to `fit`.
        weight: Of each row, (rows,); None if all count the same.
        left_out: Where they come from, unless all are validation rows.
    """

    outputs: Array
    y: Any
    weight: Array | None = None
    left_out: LeftOut | None = None


def leave_out(
    retraining: Retraining,
    network: Centred,
    labels: NDArray[Any],
    folder: Path | None,
    groups: NDArray[Any] | None = None,
) -> LeftOut | None:
    """Return the outputs of trainings without some rows.

    None if there are enough validation rows, too few rows to leave any out, or if all
    trainings diverged.

    Args:
        retraining: Of the fit.
        network: Its members, perhaps with a centre.
        labels: Each must be in every part, (rows,).
        folder: For checkpoints, if wanted.
        groups: Label of rows that are left out together, (rows,), if there are any.
    """
    rng, trained = np.random.default_rng(retraining.seed), retraining.trained
    if groups is None:
        parts = parts_to_leave_out(labels, trained, rng)
    else:
        places = np.flatnonzero(trained)
        found = groups_to_leave_out(groups[trained], labels[trained], N_PARTS, rng)
        parts = [places[part] for part in found]
    tried = retraining.networks_without(parts, folder)
    parts = [p for n, p in zip(tried, parts, strict=True) if n is not None]
    networks = [members for members in tried if members is not None]
    if not networks:
        return None

    def said(members: Centred) -> Array:
        return np.asarray(forward(members, retraining.data.x).double().cpu().numpy())

    without = [said(members) for members in networks]
    return LeftOut(said(network), trained, parts, without, networks)


def too_few(chosen: Mask, groups: NDArray[Any] | None) -> bool:
    """Return whether more rows are wanted that members were not trained on.

    Args:
        chosen: Which rows are for validation, (rows,).
        groups: Label of each row, (rows,), if there are any.
    """
    if chosen.sum() < ENOUGH:
        return True
    if groups is None or len(chosen) > MOST_ROWS:
        return False
    return len(np.unique(groups[chosen])) < ENOUGH_GROUPS


def unseen_rows(model: Any, prepared: Prepared, fit: Fit) -> Unseen:
    """Return rows a model was not trained on; train again if there are too few.

    Args:
        model: Trained.
        prepared: The rows it was fitted with.
        fit: The result of its training.
    """
    everyone, chosen, left_out = prepared.everyone, prepared.chosen, None
    if chosen is not None and everyone.groups is None:
        problem = prepared.problem
        validation, known = values_of(problem.validation), values_of(problem.data)
        warn_of_near_copies(validation, known, chosen, prepared.seed)
    if chosen is not None and too_few(chosen, everyone.groups):
        left_out = leave_out(
            Retraining(
                model, model.loss_, fit, model._data(everyone), ~chosen, prepared.seed
            ),
            model.speakers_,
            model._groups(everyone.y),
            prepared.folder,
            everyone.groups,
        )
    if left_out is None:
        outputs = forward(model.speakers_, prepared.problem.validation.x)
        rows = prepared.held_out
        return Unseen(outputs.double().cpu().numpy(), rows.y, rows.weight)
    rows = everyone.where(left_out.places)
    return Unseen(left_out.unseen, rows.y, rows.weight, left_out)
