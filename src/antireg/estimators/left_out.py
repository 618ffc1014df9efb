"""What members say of rows they were not trained on, where few are held out.

The rows that `fit` holds out are few where the table is small, and with them what is
learnt from them: a threshold, a noise, the width of intervals. So the members are
trained again without parts of the other rows, which then are as good as held out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antireg.estimators.retraining import Array, Mask, Retraining, Rows
from antireg.networks import Stack
from antireg.networks.forward import forward
from antireg.predictive.values import LARGEST

Scoring = Callable[[Array], Array]

N_PARTS = 5
"""Every part is left out of a training of its own, if that many are needed."""

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
    """

    outputs: Array
    trained: Mask
    parts: list[Rows]
    without: list[Array]

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

    def levelled_scores(self, score_of: Scoring) -> Array:
        """Return scores of the rows held out or left out, at the level of the fit.

        From another training's scores its level is taken: the median of how much higher
        they are than those of the fit on the rows both know.

        This is for scores that are next to nothing where a row is known, as classes
        learnt by heart are: then only rows left out say how they spread.

        Args:
            score_of: From outputs, (members, rows, outputs), to scores, (rows,).
        """
        scores = score_of(self.outputs)
        levelled = scores.copy()
        for others, part, known in self._compared(score_of):
            levelled[part] = others[part] - np.median(others[known] - scores[known])
        return levelled[self.places]

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
    network: Stack,
    groups: NDArray[Any],
    folder: Path | None,
) -> LeftOut | None:
    """Return what is said of rows not trained on, or None if enough are held out.

    It is None too if the rows are too few for it, or if all of it diverged.

    Args:
        retraining: Of the fit.
        network: Its members.
        groups: Label of each row, (rows,).
        folder: Where trainings are written as they go, if anywhere.
    """
    rng, trained = np.random.default_rng(retraining.seed), retraining.trained
    parts = parts_to_leave_out(groups, trained, rng)
    outputs = retraining.outputs_without(parts, folder)
    found = [(o, p) for o, p in zip(outputs, parts, strict=True) if o is not None]
    if not found:
        return None
    said = forward(network, retraining.data.x).double().cpu().numpy()
    without, parts = map(list, zip(*found, strict=True))
    return LeftOut(said, trained, parts, without)
