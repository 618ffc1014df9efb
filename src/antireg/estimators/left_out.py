"""What members say of rows they were not trained on, where few are held out.

The rows that `fit` holds out are few where the table is small, and with them what is
learnt from them: a threshold, a noise, the width of intervals. So the members are
trained again without parts of the other rows, which then are as good as held out.
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
"""Every part is left out of a training of its own, if that many are needed."""

CROWDED = 1e-9
"""Scores that are nearer to their most, as a share of it, are rounding."""

TINY = float(np.finfo(np.float64).tiny)

ENOUGH = 130
"""Rows that members were not trained on from which on no more are asked for."""


def parts_to_leave_out(
    groups: NDArray[Any], trained: Mask, rng: np.random.Generator
) -> list[Rows]:
    """Return as many fifths of the rows as are needed for `ENOUGH`, perhaps none.

    Every part has its share of every group; one row of each is in none.

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
    """What a fit says of its rows, and what trainings without some of them say.

    Attributes:
        outputs: Of the fit, (members, rows, outputs).
        trained: Which rows it was trained on, (rows,).
        parts: Which of these each training was without.
        without: What that says, (members, rows, outputs) each.
        networks: What says that.

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
        """What members not trained on them say of these rows."""
        outputs = self.outputs.copy()
        for others, part in zip(self.without, self.parts, strict=True):
            outputs[:, part] = others[:, part]
        return outputs[:, self.places]

    def raised_scores(self, score_of: Scoring) -> Array:
        """Return the fit's scores of all rows, raised as if it knew none, (rows,).

        A score is higher for having left its row out by the mean logarithm of the other
        training's scores over those of the fit, on the rows left out, less that on the
        rows both know.

        This is for scores that hardly say whether a row is known, such as the noise of
        regression: then the fit's own scores of all rows are the best there are.

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
        """Return scores of the rows held out or left out, at the level of the fit.

        From another training's scores its level is taken: the median of how much higher
        they are than those of the fit on the rows both know. Scores near the most that
        there can be crowd, so there it is how far they are from it that is compared.

        This is for scores that are next to nothing where a row is known, as classes
        learnt by heart are: then only rows left out say how they spread.

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
        """Yield a training's scores, the rows it left out, and those the fit knew too.

        Two trainings differ in the level of their scores, often more than rows do: one
        that stopped sooner says more noise of all of them. So a training without a row
        tells nothing of the fit's threshold before levels are compared.
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
    """What members say of rows they were not trained on.

    Attributes:
        outputs: (members, rows, outputs).
        y: Targets of these rows, or classes, as `fit` takes them.
        weight: How much each counts, (rows,); None if all count the same.
        left_out: Where they come from, if not from held-out rows alone.
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
    """Return what is said of rows not trained on, or None if enough are held out.

    It is None too if the rows are too few for it, or if all of it diverged.

    Args:
        retraining: Of the fit.
        network: Its members, perhaps with a centre.
        labels: Of which each must be in every part, (rows,).
        folder: Where trainings are written as they go, if anywhere.
        groups: Rows that are left out together, (rows,), if there are any.
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
    """Return what a model says of rows it has not seen, trained again if these are few.

    Args:
        model: Trained.
        prepared: What it was trained on.
        fit: What came of it.
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
