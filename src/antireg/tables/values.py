"""Values of a column in memory, as Arrow holds them, and the numbers they become."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antireg.predictive.values import Array
from antireg.tables import calendar
from antireg.tables.columns import LARGEST, Column
from antireg.tables.dates import TIME_TYPE, days_since_1970

TYPES = {"numeric": pa.float64(), "boolean": pa.bool_(), "date": TIME_TYPE}


def type_of(kind: str) -> pa.DataType:
    """Return the type that the values of a column of that kind have in memory."""
    return TYPES.get(kind, pa.string())


def as_numbers(values: pa.Array) -> Array:
    """Return numbers, truth values or dates as numbers, NaN if missing, (rows,)."""
    if pa.types.is_temporal(values.type):
        return days_since_1970(values)
    return np.asarray(values.cast(pa.float64()))


def encode(column: Column, values: pa.Array, into: Array) -> NDArray[np.bool_]:
    """Write the features; return which rows have a value unlike any in training.

    Args:
        column: How it is read.
        values: Of this column, (rows,).
        into: Zeros, (rows, features).
    """
    if column.kind == "categorical":
        known = pa.array([*column.categories, *([None] if column.missing else [])])
        index = pc.index_in(values, value_set=known.cast(pa.string()))
        unseen: NDArray[np.bool_] = index.is_null().to_numpy(zero_copy_only=False)
        place = index.fill_null(into.shape[1] - 1).to_numpy(zero_copy_only=False)
        into[np.arange(len(into)), place] = 1.0
        return unseen
    numbers = as_numbers(values)
    missing: NDArray[np.bool_] = np.isnan(numbers)
    # An infinite value counts as a number very far away, and is flagged.
    into[:, 0] = np.clip(np.where(missing, column.fill, numbers), -LARGEST, LARGEST)
    if column.kind == "date":
        waves = calendar.cycles(numbers, column.clock)
        # A missing date is at no time of the year: the middle of the circle.
        into[:, 1 : 1 + waves.shape[1]] = np.where(missing[:, None], 0.0, waves)
    if column.missing:
        into[:, -1] = missing
        return np.zeros(len(into), dtype=bool)
    return missing


def target_values(values: pa.Array, kind: str) -> NDArray[Any]:
    """Return targets as an estimator takes them, (rows,)."""
    if kind == "categorical":
        return np.array(values.to_pylist(), dtype=str)
    if kind == "boolean":
        return np.asarray(values.to_numpy(zero_copy_only=False), dtype=bool)
    return np.asarray(values.cast(pa.float64()).to_numpy(zero_copy_only=False))
