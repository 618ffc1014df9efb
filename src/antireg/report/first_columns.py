"""Which column makes each row unfamiliar: the one that its reason names first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from antireg.estimators.base import Ensemble
from antireg.predictive.values import Array
from antireg.tables import Encoding
from antireg.tables.reasons import never_trained, row_reasons


def first_columns(
    model: Ensemble, encoding: Encoding, X: Array, words: Sequence[str] = ()
) -> list[str]:
    """Return the column that says most why a row is unfamiliar, "" if none, (rows,).

    Args:
        model: Fitted.
        encoding: How its columns become numbers.
        X: Inputs, (rows, features).
        words: What training never had in each row, "" if nothing, (rows,).
    """
    if not len(X):
        return []
    new = never_trained(model.training_data_, model.scaling_)
    untrained = {k: word for k, word in encoding.flags.items() if new[k]}
    said = list(words) or [""] * len(X)
    reasons = row_reasons(
        model.training_data_, model.scaling_, encoding, X, said, untrained
    )
    # A reason begins with its column; of "area" and "area 2" the longer name is meant.
    names = sorted((column.name for column in encoding.columns), key=len, reverse=True)
    return [
        next((name for name in names if reason.startswith(f"{name} ")), "")
        for reason in reasons
    ]


def most_named(columns: Sequence[str]) -> tuple[str, float]:
    """Return the column that most rows name, and their share; "" and 0 if none does."""
    counted = Counter(name for name in columns if name)
    if not counted:
        return "", 0.0
    ((name, count),) = counted.most_common(1)
    return name, count / len(columns)
