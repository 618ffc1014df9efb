"""What the training table says about how to read tables like it."""

from __future__ import annotations

import warnings
from collections.abc import Collection

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antireg.tables.encoding import Column, Encoding

FEWEST_NUMBERED = 20
"""In fewer rows, numbers may be consecutive by chance."""


def learn_encoding(
    table: pa.Table,
    target: str,
    *,
    categorical: Collection[str] = (),
    most_categories: int = 100,
) -> Encoding:
    """Return how to read tables like this one.

    Rows without a target are not trained on, and nothing is learned from them.

    Args:
        table: The training rows.
        target: Name of the column to predict.
        categorical: Columns whose numbers are only names, such as post codes.
        most_categories: Columns with more different values are refused.
    """
    if not table.num_rows:
        raise ValueError("The table must have rows to learn from, got none.")
    known = pc.is_valid(table[target])
    if not pc.any(known).as_py():
        raise ValueError(
            f"The table must have rows with a value of {target!r}, got none."
        )
    rows = table.drop_columns(target).filter(known)
    columns = learn_columns(rows, categorical, most_categories)
    if not columns:
        raise ValueError(
            f"The table must have a column beside the target {target!r}, got none."
        )
    return Encoding(columns, target, _kind(target, table[target].type, False))


def learn_columns(
    table: pa.Table, categorical: Collection[str] = (), most_categories: int = 100
) -> tuple[Column, ...]:
    """Return how to read columns like these; arguments as of `learn_encoding`."""
    return tuple(
        _learn_column(name, table[name], name in categorical, most_categories)
        for name in table.column_names
    )


def _learn_column(
    name: str, values: pa.ChunkedArray, as_category: bool, most_categories: int
) -> Column:
    kind = _kind(name, values.type, as_category)
    missing = values.null_count > 0
    if kind == "categorical":
        found = pc.unique(values.cast(pa.string())).drop_null().to_pylist()
        if len(found) > most_categories:
            raise ValueError(
                f"Column {name!r} must have at most {most_categories} different values "
                f"to be read as categories, got {len(found)}. Leave it out with "
                f"--drop {name!r}, or raise --most-categories."
            )
        return Column(name, kind, missing=missing, categories=tuple(sorted(found)))
    numbers = values.cast(pa.float64()).to_numpy()
    present = numbers[np.isfinite(numbers)]
    if not present.size:
        raise ValueError(
            f"Column {name!r} must hold some finite numbers, got none. Leave it out "
            f"with --drop {name!r}."
        )
    if counts_rows(numbers):
        warnings.warn(
            f"Column {name!r} numbers the rows, from {numbers.min():.0f} to "
            f"{numbers.max():.0f}. New rows will have other numbers and be flagged for "
            f"it: leave it out with --drop {name!r}, unless it is a measurement.",
            stacklevel=2,
        )
    missing = bool(np.isnan(numbers).any())
    return Column(name, kind, fill=_mean(present), missing=missing)


def _mean(numbers: NDArray[np.float64]) -> float:
    """Return the mean, also of numbers whose sum is not a number."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = numbers.mean()
        if not np.isfinite(mean):
            mean = (numbers / len(numbers)).sum()
    return float(np.clip(mean, numbers.min(), numbers.max()))


def counts_rows(numbers: NDArray[np.float64]) -> bool:
    """Return whether a column holds consecutive whole numbers, each once, (rows,)."""
    if len(numbers) < FEWEST_NUMBERED or not np.isfinite(numbers).all():
        return False
    low, high = numbers.min(), numbers.max()
    if low % 1 or high != low + (len(numbers) - 1):
        return False
    return bool((np.diff(np.sort(numbers)) == 1).all())


def _kind(name: str, type_: pa.DataType, as_category: bool) -> str:
    inner = type_.value_type if pa.types.is_dictionary(type_) else type_
    if pa.types.is_string(inner) or pa.types.is_large_string(inner) or as_category:
        return "categorical"
    if pa.types.is_boolean(inner):
        return "boolean"
    if any(
        test(inner)
        for test in (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    ):
        return "numeric"
    if pa.types.is_null(inner):
        raise ValueError(
            f"Column {name!r} must hold some values, got none. Leave it out with "
            f"--drop {name!r}."
        )
    raise ValueError(
        f"Column {name!r} must hold numbers, strings or booleans, got {type_}. Turn it "
        f"into numbers, or leave it out with --drop {name!r}."
    )
