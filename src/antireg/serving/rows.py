"""From the JSON of a request to the columns of a graph, or what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antireg.serving.graph import Input
from antireg.storage import bounded_json
from antireg.tables.written_dates import date_of

LARGEST = float(np.finfo(np.float32).max)
LONGEST = 60
"""Characters of a value that a message repeats."""


class Refused(Exception):
    """A request that cannot be answered.

    Attributes:
        status: Of HTTP.
        reason: A sentence: which value, what it must be, what it is.
    """

    def __init__(self, status: int, reason: str) -> None:
        """Keep both."""
        super().__init__(reason)
        self.status, self.reason = status, reason


def parsed(body: bytes) -> dict[str, Any]:
    """Return the object of a request."""
    try:
        found = bounded_json.parse(body)
    except (ValueError, RecursionError) as error:
        raise Refused(
            400, f"The body must be JSON, got something else: {error}."
        ) from None
    if type(found) is not dict:
        raise Refused(422, "The body must be a JSON object, got something else.")
    return found


def one_row(found: Mapping[str, Any]) -> list[Any]:
    """Return the row of a request, as a list of one."""
    if "row" not in found:
        raise Refused(422, "The body must have the field 'row'.")
    return [found["row"]]


def many_rows(found: Mapping[str, Any], most: int) -> list[Any]:
    """Return the rows of a request."""
    rows = found.get("rows")
    if type(rows) is not list or not rows:
        raise Refused(422, "The body must have the field 'rows', a list of rows.")
    if len(rows) > most:
        raise Refused(
            413,
            f"A request must have at most {most} rows, got {len(rows)}. Send fewer.",
        )
    return rows


def columns_of(rows: Sequence[Any], inputs: Sequence[Input]) -> list[NDArray[Any]]:
    """Return the values of every input, (rows,) each.

    Args:
        rows: Objects with a value for each input, or lists with one for each.
        inputs: Of the graph.
    """
    values = [_values(row, inputs, number) for number, row in enumerate(rows, 1)]
    return [
        np.array([row[k] for row in values], dtype=_type(one))
        for k, one in enumerate(inputs)
    ]


def _type(wanted: Input) -> type:
    if wanted.is_text:
        return object
    return np.float64 if wanted.is_date else np.float32


def _values(row: Any, inputs: Sequence[Input], number: int) -> list[Any]:
    if type(row) is list:
        if len(row) != len(inputs):
            raise Refused(
                422,
                f"Row {number} must have {len(inputs)} values, got {len(row)}.",
            )
        row = {one.name: value for one, value in zip(inputs, row, strict=True)}
    elif type(row) is not dict:
        raise Refused(
            422, f"Row {number} must be an object or a list, got {_shown(row)}."
        )
    missing = [one.name for one in inputs if one.name not in row]
    if missing:
        raise Refused(
            422,
            f"Row {number} must have the column {missing[0]!r}, got none."
            + (" Send null if its value is not known." if inputs[0].has_gaps else ""),
        )
    return [_value(row[one.name], one, number) for one in inputs]


def _value(value: Any, wanted: Input, number: int) -> Any:
    """Return a value as the graph takes it: NaN or "" for a gap."""
    if value is None and wanted.has_gaps:
        return "" if wanted.is_text else np.nan
    if wanted.is_date:
        moment = date_of(value, wanted.day_first) if type(value) is str else None
        if moment is not None:
            return moment.replace(tzinfo=UTC).timestamp()
    elif wanted.is_text:
        if type(value) is bool:
            return "true" if value else "false"
        if type(value) in (str, int):
            return str(value)
    elif type(value) in (bool, int, float):
        return _number(value)
    kind = "text" if wanted.is_text else "a number"
    if wanted.is_date:
        kind = "a date such as '2024-01-31' or '2024-01-31T15:04:05Z'"
    raise Refused(
        422,
        f"Column {wanted.name!r} of row {number} must be {kind}"
        f"{' or null' if wanted.has_gaps else ''}, got {_shown(value)}.",
    )


def _number(value: float) -> float:
    """Return a number that float32 has; what is farther away stays far away."""
    try:
        return min(max(float(value), -LARGEST), LARGEST)
    except OverflowError:  # an integer beyond every float
        return LARGEST if value > 0 else -LARGEST


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
