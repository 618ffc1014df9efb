"""Which column makes each row unfamiliar: the one that its reason names first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from antireg.predictive.values import Array
from antireg.tables.wording import About


def first_columns(model: Any, X: Array, words: Sequence[str] = ()) -> list[str]:
    """Return the column that says most why a row is unfamiliar, "" if none, (rows,).

    Args:
        model: Fitted.
        X: Inputs as numbers, (rows, inputs).
        words: What training never had in each row, "" if nothing, (rows,).
    """
    names = [column.name for column in model.columns().columns]
    first = [why[0] if why else "" for why in model.reasons_of(X, words, top=1)]
    return [names[word.column] if isinstance(word, About) else "" for word in first]


def most_named(columns: Sequence[str]) -> tuple[str, float]:
    """Return the column that most rows name, and their share; "" and 0 if none does."""
    counted = Counter(name for name in columns if name)
    if not counted:
        return "", 0.0
    ((name, count),) = counted.most_common(1)
    return name, count / len(columns)
