"""Columns of dates as points in time, and these as days since 1970."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antireg.predictive.values import Array
from antireg.tables.calendar import FIRST_DAY, LAST_DAY
from antireg.tables.written_dates import date_of

TIME_TYPE = pa.timestamp("us")


def dates(cells: pa.Array, day_first: bool | None = None) -> pa.Array:
    """Return trimmed cells as points in time, missing where they are none, (rows,).

    Args:
        cells: Text, (rows,).
        day_first: Whether 3/4/2024 is in April; if None, such a cell is no date.
    """
    for type_ in (TIME_TYPE, pa.timestamp("us", "UTC")):
        try:
            return cells.cast(type_).cast(TIME_TYPE)
        except pa.ArrowInvalid:
            continue
    found = pc.dictionary_encode(cells)
    known = [date_of(text, day_first) for text in found.dictionary.to_pylist()]
    return pa.array(known, TIME_TYPE).take(found.indices)


def days_since_1970(values: pa.Array) -> Array:
    """Return points in time as days, NaN where they are missing, (rows,)."""
    moments = np.asarray(values.cast(TIME_TYPE, safe=False))
    days: Array = moments.astype("datetime64[us]").astype(np.int64) / 86_400e6
    days[np.isnat(moments) | (days < FIRST_DAY) | (days >= LAST_DAY + 1)] = np.nan
    return days
