"""Outputs of members that were trained again without some rows, and scores by them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from antireg.estimators.retraining import Array, Mask, Rows
from antireg.networks import Centred
from antireg.predictive.values import LARGEST

Scoring = Callable[[Array], Array]

CROWDED = 1e-9
"""Scores that are nearer to their most, as a share of it, are rounding."""

TINY = float(np.finfo(np.float64).tiny)


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
