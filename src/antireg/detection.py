"""The threshold on scores above which a row counts as out of distribution."""

import math
import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from antireg.predictive import Array


def threshold(
    held_out_scores: ArrayLike, false_alarm_rate: float = 0.05, *, warn: bool = True
) -> float:
    """Return the score above which a row counts as out of distribution.

    It is the quantile at 1 − α of the held-out scores, in the definition that keeps
    its promise on *fresh* rows. A fresh row of the same distribution is equally likely
    to fall into each of the n + 1 gaps that n held-out scores leave, so it exceeds the
    k-th smallest with probability 1 − k/(n + 1): k = (n + 1)(1 − α) gives α, exactly
    so where k is whole, in between by interpolation. The usual quantile would raise
    more false alarms than asked, the more so the fewer the rows.

    Args:
        held_out_scores: Scores of in-distribution rows the ensemble was not trained
            on, (rows,).
        false_alarm_rate: α, the expected share of in-distribution rows flagged.
        warn: Whether to say so if the scores are too few for that rate.
    """
    scores = row_scores(held_out_scores, "held_out_scores")
    if not 0 < false_alarm_rate < 1:
        raise ValueError(
            "false_alarm_rate must be strictly between 0 and 1, got "
            f"{false_alarm_rate}. For one false alarm in twenty rows, use 0.05."
        )
    if warn:
        warn_of_few(scores.size, false_alarm_rate, stacklevel=3)
    return float(np.quantile(scores, 1 - false_alarm_rate, method="weibull"))


def warn_of_few(n_scores: int, false_alarm_rate: float, stacklevel: int) -> None:
    """Warn if no score is exceeded as rarely as that."""
    # The slack keeps 19 rows enough for 0.05, whatever the rounding.
    needed = math.ceil(1 / false_alarm_rate - 1e-9) - 1
    if n_scores < needed:
        warnings.warn(
            f"{n_scores} held-out scores are too few for a false_alarm_rate of "
            f"{false_alarm_rate}: the threshold is their maximum, whose expected rate "
            f"is {1 / (n_scores + 1):.3g}. Hold out at least {needed} rows.",
            stacklevel=stacklevel,
        )


def thinned(held_out_scores: Array, most: int, false_alarm_rate: float) -> Array:
    """Return at most so many scores that set the same thresholds, ascending.

    They are the quantiles at 1/(most + 1), 2/(most + 1) …, so every rate that is a
    multiple of this has its threshold still; the others are interpolated.

    Args:
        held_out_scores: Ascending, (rows,).
        most: How many to keep.
        false_alarm_rate: The rate whose threshold stays the same to the last digit.
    """
    if len(held_out_scores) <= most:
        return held_out_scores
    levels = np.arange(1, most + 1) / (most + 1)
    scores: Array = np.quantile(held_out_scores, levels, method="weibull")
    rank = (most + 1) * (1 - false_alarm_rate) - 1
    # With room for rounding: the ranks that the threshold is interpolated between.
    first, last = math.floor(rank - 1e-9), math.ceil(rank + 1e-9)
    around = np.clip(np.arange(first, last + 1), 0, most - 1)
    scores[around] = threshold(held_out_scores, false_alarm_rate)
    return np.sort(scores)


def flag(scores: ArrayLike, threshold: float) -> NDArray[np.bool_]:
    """Return True where a score is strictly above the threshold, (rows,)."""
    if math.isnan(threshold):
        raise ValueError(
            "threshold must be a number, got nan. Take it from detection.threshold."
        )
    return row_scores(scores, "scores") > threshold


def row_scores(values: ArrayLike, name: str) -> Array:
    """Return scores as float64, one finite number per row, (rows,)."""
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim != 1 or scores.size == 0 or not np.isfinite(scores).all():
        raise ValueError(
            f"{name} must be (rows,), finite and not empty, got shape {scores.shape} "
            f"with {(~np.isfinite(scores)).sum()} not finite. Give one score per row."
        )
    return scores
