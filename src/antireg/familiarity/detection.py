"""Sets the threshold of `is_ood`: rows whose score exceeds it are flagged."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from antireg.advice import warn_user
from antireg.predictive.values import Array

Ranks = NDArray[np.int64]

MOST_RANKS = 2**24
"""If there are more scores, this many quantiles replace them."""


@dataclass(frozen=True)
class Detector:
    """Decides which rows are flagged; the function `threshold` computes its number."""

    threshold: float

    def flag(self, scores: ArrayLike, words: Sequence[str] = ()) -> NDArray[np.bool_]:
        """Return which rows are flagged: by score, or by words, (rows,).

        Args:
            scores: Rows above the threshold are flagged, (rows,).
            words: What each row holds that training never saw, "" if nothing, (rows,);
                rows with such words are flagged too.
        """
        if math.isnan(self.threshold):
            raise ValueError(
                "threshold must be a number, got nan. Take it from detection.threshold."
            )
        flags = row_scores(scores, "scores") > self.threshold
        return flags | (np.array(words, dtype=object) != "") if words else flags


def threshold(
    held_out_scores: ArrayLike, false_alarm_rate: float = 0.05, *, warn: bool = True
) -> float:
    """Return the score above which a row counts as out of distribution.

    It is the quantile at 1 − α of the scores, in the definition whose rate is right on
    *new* rows. A new row of the same distribution is equally likely to fall into each
    of the n + 1 gaps between n scores, so it exceeds the k-th smallest with probability
    1 − k/(n + 1). k = (n + 1)(1 − α) gives α: exactly if k is whole, else by
    interpolation. The usual quantile would raise more false alarms than asked for,
    above all with few rows.

    Args:
        held_out_scores: Scores of in-distribution rows the ensemble was not trained
            on, (rows,).
        false_alarm_rate: α, the expected share of in-distribution rows flagged.
        warn: Whether to warn if the scores are too few for that rate.
    """
    scores = row_scores(held_out_scores, "held_out_scores")
    if not 0 < false_alarm_rate < 1:
        raise ValueError(
            "false_alarm_rate must be strictly between 0 and 1, got "
            f"{false_alarm_rate}. For one false alarm in twenty rows, use 0.05."
        )
    if warn:
        warn_of_few(scores.size, false_alarm_rate)
    return float(np.quantile(scores, 1 - false_alarm_rate, method="weibull"))


def warn_of_few(n_scores: int, false_alarm_rate: float) -> None:
    """Warn if there are too few scores for that rate."""
    # The slack keeps 19 rows enough for 0.05, whatever the rounding.
    needed = math.ceil(1 / false_alarm_rate - 1e-9) - 1
    if n_scores < needed:
        warn_user(
            f"{n_scores} held-out scores are too few for a false_alarm_rate of "
            f"{false_alarm_rate}: the threshold is their maximum, whose expected rate "
            f"is {1 / (n_scores + 1):.3g}. Hold out or gather at least {needed} rows.",
        )


def thinned(
    held_out_scores: Array, most: int, false_alarm_rate: float
) -> tuple[Array, Ranks]:
    """Return a subset of the scores, ascending, and their ranks, counted from 1.

    The largest are all kept, because small rates need them; the others are evenly
    spaced. `filled_in` interpolates the rest. The threshold at `false_alarm_rate` stays
    the same to the last digit.

    Args:
        held_out_scores: Ascending, (rows,).
        most: How many to keep, 8 or more.
        false_alarm_rate: Of the threshold that must not change.
    """
    if len(held_out_scores) > MOST_RANKS:
        levels = np.arange(1, MOST_RANKS + 1) / (MOST_RANKS + 1)
        held_out_scores = np.quantile(held_out_scores, levels, method="weibull")
    n_rows = len(held_out_scores)
    if n_rows <= most:
        return held_out_scores, np.arange(1, n_rows + 1)
    rank = (n_rows + 1) * (1 - false_alarm_rate)
    # The ranks that the threshold is interpolated between, with room for rounding.
    first, last = math.floor(rank - 1e-9), math.ceil(rank + 1e-9)
    around = np.clip(np.arange(first, last + 1), 1, n_rows)
    n_largest = (most - len(around)) // 2
    n_others = most - len(around) - n_largest
    others = np.linspace(1, n_rows - n_largest, n_others).astype(np.int64)
    largest = np.arange(n_rows - n_largest + 1, n_rows + 1)
    ranks = np.unique(np.concatenate([others, around, largest]))
    return held_out_scores[ranks - 1], ranks


def filled_in(scores: Array, ranks: Ranks) -> Array:
    """Return all scores again, interpolating those that `thinned` dropped.

    Args:
        scores: From `thinned`.
        ranks: Ascending, the first is 1.
    """
    everyone = np.arange(1, ranks[-1] + 1)
    next_one = scores[np.searchsorted(ranks, everyone)]
    # Rounding must not take a score above the next.
    filled: Array = np.minimum(np.interp(everyone, ranks, scores), next_one)
    return filled


def row_scores(values: ArrayLike, name: str) -> Array:
    """Return scores as float64, one finite number per row, (rows,)."""
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim != 1 or scores.size == 0 or not np.isfinite(scores).all():
        raise ValueError(
            f"{name} must be (rows,), finite and not empty, got shape {scores.shape} "
            f"with {(~np.isfinite(scores)).sum()} not finite. Give one score per row."
        )
    return scores
