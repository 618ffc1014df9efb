"""How far rates of new rows may be from what was asked, where few rows calibrate.

A threshold that is the quantile at 1 − α of n scores flags a share of new rows that
differs from fit to fit: with the distribution Beta((n + 1) α, (n + 1)(1 − α)), whose
mean is α. The share of targets that a conformal interval covers is distributed alike.
"""

from __future__ import annotations

from typing import Any

from scipy import stats

from antireg.report.evaluation import COVERAGE
from antireg.report.shares import percent
from antireg.tables.names import counted

SURE = 0.9
"""Of all fits, so many are within the range that is told."""

ENOUGH = 1000
"""With so many rows nothing is said: of 5 %, the range is 3.9 to 6.2 %."""


def normal_range(rate: float, n_rows: int) -> tuple[float, float]:
    """Return between which shares of new rows a rate will be, in 90 % of all fits.

    Args:
        rate: What was asked for: of false alarms, or of targets covered.
        n_rows: Rows that the model was calibrated by.
    """
    a = (n_rows + 1) * rate
    low, high = stats.beta.ppf([(1 - SURE) / 2, (1 + SURE) / 2], a, n_rows + 1 - a)
    return float(low), float(high)


def n_calibrating(model: Any) -> int:
    """Return how many independent rows a model was calibrated by.

    Rows of a group are alike, so groups are counted if there are any: an ensemble that
    held out a tenth of its rows is calibrated by a tenth of them, a gate by all.
    """
    n_rows, n_groups = len(model.held_out_scores_), _n_groups(model)
    if n_groups is None:
        return n_rows
    # A gate knows its references alone, which are no more than its rows.
    share: float = min(1.0, n_rows / model.training_data_.n_rows)
    return max(1, round(share * n_groups))


def _n_groups(model: Any) -> int | None:
    """Return how many groups `fit` was given; trained networks are given none."""
    found: int | None = getattr(model, "n_groups_", None)
    return found


def promises(model: Any) -> str:
    """Return in a sentence what rates are normal; "" if many rows calibrate a model.

    Args:
        model: Fitted.
    """
    n_rows, rate = n_calibrating(model), model.false_alarm_rate
    if n_rows >= ENOUGH:
        return ""
    noun = "row" if _n_groups(model) is None else "group"
    said = (
        f"{percent(rate)} false alarms asked; with {counted(n_rows, noun)} to "
        f"calibrate on, {_between(rate, n_rows)} is normal over many new rows"
    )
    if model.kind == "regressor":
        covered = _between(COVERAGE, n_rows)
        said += f", and {covered} for intervals that should cover {percent(COVERAGE)}"
    return f"{said}."


def _between(rate: float, n_rows: int) -> str:
    low, high = (percent(end) for end in normal_range(rate, n_rows))
    return f"{low.removesuffix(' %')} to {high}"
