"""Which column makes each row unfamiliar: the one that its reason names first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from antireg.estimators.base import Ensemble
from antireg.predictive.values import Array


def first_columns(model: Ensemble, X: Array, words: Sequence[str] = ()) -> list[str]:
    """Return the column that says most why a row is unfamiliar, "" if none, (rows,).

    Args:
        model: Fitted.
        X: Inputs as numbers, (rows, inputs).
        words: What training never had in each row, "" if nothing, (rows,).
    """
    reasons = model.reasons_of(X, words, top=1)
    # A reason begins with its column; of "area" and "area 2" the longer name is meant.
    columns = (column.name for column in model.columns().columns)
    names = sorted(columns, key=len, reverse=True)
    return [
        next((name for name in names if why and why[0].startswith(f"{name} ")), "")
        for why in reasons
    ]


def most_named(columns: Sequence[str]) -> tuple[str, float]:
    """Return the column that most rows name, and their share; "" and 0 if none does."""
    counted = Counter(name for name in columns if name)
    if not counted:
        return "", 0.0
    ((name, count),) = counted.most_common(1)
    return name, count / len(columns)
