"""What members say of rows they were not trained on, if there are few validation rows.

A small table has few of them, too few to learn a threshold, a noise or the width of
intervals from. So the members are trained again without parts of the other rows, which
then serve as validation rows too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antireg.estimators.members import Prepared
from antireg.estimators.retraining import Array, Mask, Retraining, Rows
from antireg.methods import Fit
from antireg.networks import Centred
from antireg.networks.forward import forward
from antireg.predictive.values import LARGEST
from antireg.rows.holdout import groups_to_leave_out

Scoring = Callable[[Array], Array]

N_PARTS = 5
"""At most this many trainings, each without one part."""

CROWDED = 1e-9
"""Scores that are nearer to their most, as a share of it, are rounding."""

TINY = float(np.finfo(np.float64).tiny)

ENOUGH = 130
"""With this many rows that members were not trained on, no more are needed."""


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
    by_group = shuffled[np.argsort(groups[shuffled], kind="stable")]
    _, first_of_group = np.unique(groups[by_group], return_index=True)
    candidates = np.delete(by_group, first_of_group)
    missing = ENOUGH - int((~trained).sum())
    if missing <= 0 or len(candidates) < N_PARTS:
        return []
    wanted = -(-missing // (len(candidates) // N_PARTS))
    return [candidates[first::N_PARTS] for first in range(min(wanted, N_PARTS))]


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The outputs of a fit, and of trainings without some of its rows.

    Attributes:
        outputs: Of the fit, (members, rows, outputs).
        trained: Which rows it was trained on, (rows,).
        parts: The rows that each training left out.
        without: Outputs of each training, (members, rows, outputs) each.
        networks: Members of each training.

    Outputs are those of members, then those of their centre, if there is one.
    """

    outputs: Array
    trained: Mask
    parts: list[Rows]
    without: list[Array]
    networks: Sequence[Centred] = ()

    @property
    def places(self) -> Mask:
        """Which rows were held out or left out, (rows,)."""
        places = ~self.trained
        places[np.concatenate(self.parts)] = True
        return places

    @property
    def unseen(self) -> Array:
        """Outputs for these rows of members that were not trained on them."""
        outputs = self.outputs.copy()
        for others, part in zip(self.without, self.parts, strict=True):
            outputs[:, part] = others[:, part]
        return outputs[:, self.places]

    def raised_scores(self, score_of: Scoring) -> Array:
        """Return the fit's scores of all rows, raised as if all were new, (rows,).

        Leaving a row out raises the logarithm of its score by: the mean of log(other
        training's score / fit's score) on left-out rows, minus that on rows both were
        trained on.

        This is for scores that depend little on whether a row was trained on, such as
        the noise of regression: then the fit's own scores of all rows are the best.

        Args:
            score_of: From outputs, (members, rows, outputs), to scores, (rows,).
        """
        scores, rises = score_of(self.outputs), []
        for others, part, known in self._compared(score_of):
            ratio = np.log(np.maximum(others, TINY) / np.maximum(scores, TINY))
            rises.append(ratio[part].mean() - ratio[known].mean())
        with np.errstate(over="ignore"):
            raised = np.minimum(np.exp(np.mean(rises)) * scores, LARGEST)
        return np.where(self.trained, raised, scores)

    def levelled_scores(self, score_of: Scoring, most: float = math.inf) -> Array:
        """Return scores of validation and left-out rows, at the level of the fit.

        The level of another training is subtracted from its scores: the median of how
        much higher they are than the fit's, on rows both were trained on. Scores crowd
        near their largest possible value; there, distances from it are compared.

        This is for scores that are close to 0 on training rows, such as those of
        memorised classes: then only left-out rows show how scores vary.

        Args:
            score_of: From outputs, (members, rows, outputs), to scores, (rows,).
            most: The most that a score can be.
        """

        def spread_out(outputs: Array) -> Array:
            return _without_most(score_of(outputs), most)

        scores = spread_out(self.outputs)
        levelled = scores.copy()
        for others, part, known in self._compared(spread_out):
            levelled[part] = others[part] - np.median(others[known] - scores[known])
        return _with_most(levelled[self.places], most)

    def _compared(self, score_of: Scoring) -> Iterator[tuple[Array, Rows, Mask]]:
        """Yield a training's scores, its left-out rows, and the rows both trained on.

        Two trainings differ in the level of their scores, often more than rows do: one
        that stopped sooner predicts more noise for all rows. So levels must be compared
        before another training's scores can set the fit's threshold.
        """
        for outputs, part in zip(self.without, self.parts, strict=True):
            known = self.trained.copy()
            known[part] = False
            yield score_of(outputs), part, known


def _without_most(scores: Array, most: float) -> Array:
    """Return  −M log(1 − s/M),  which is s where it is small, and has no end."""
    if most == math.inf:
        return scores
    return -most * np.log(np.maximum(1 - scores / most, CROWDED))


def _with_most(scores: Array, most: float) -> Array:
    """Return the scores that `_without_most` was given."""
    return scores if most == math.inf else -most * np.expm1(-scores / most)


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


def unseen_rows(model: Any, prepared: Prepared, fit: Fit) -> Unseen:
    """Return rows a model was not trained on; train again if there are too few.

    Args:
        model: Trained.
        prepared: The rows it was fitted with.
        fit: The result of its training.
    """
    everyone, chosen, left_out = prepared.everyone, prepared.chosen, None
    if chosen is not None and chosen.sum() < ENOUGH:
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
