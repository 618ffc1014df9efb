"""Cells of text as numbers, truth values and dates, with those that are none of it.

A number may have a currency or percent sign, which is removed (12 % is 12), separators
of thousands, and brackets for a minus, as in accounts.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv

from antireg.tables.dates import dates
from antireg.tables.notation import USUAL, Notation

GAPS = [*csv.ConvertOptions().null_values, "?", "-"]
"""Cells that mean a missing value in every column of a text file."""

GAPS_AMONG_NUMBERS = [
    *dict.fromkeys(word.lower() for word in GAPS),
    *("--", "---", "–", "—", ".", "n.a.", "none", "nil", "unknown", "missing"),
    *("#value!", "#div/0!", "#ref!", "#num!", "#name?", "#null!"),
]
"""Words that mean one where only numbers, dates or truth values can be, lower case."""

SIGNS = {
    "currency signs": "[$€£¥]",
    "percent signs": "%",
    "spaces or apostrophes": r"\d[ \x{a0}\x{202f}\x{2009}'’]\d",
}
DIGITS = {
    ".": r"(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d*)?|\.\d+",
    ",": r"(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d*)?|,\d+",
}
"""A number with this decimal mark, as a regular expression."""


class Read(NamedTuple):
    """Values, missing where a cell could not be read, and which these are, (rows,)."""

    values: pa.Array
    bad: NDArray[np.bool_]


def read_cells(
    cells: pa.Array, type_: pa.DataType, notation: Notation = USUAL, decimal: str = "."
) -> Read:
    """Return cells as values of a type: double, bool, timestamp, or text as it is.

    Args:
        cells: Text, (rows,).
        type_: Of the values.
        notation: How they are written.
        decimal: The decimal mark.
    """
    if pa.types.is_string(type_):
        return Read(cells, np.zeros(len(cells), dtype=bool))
    if decimal == "." or not pa.types.is_floating(type_):
        try:
            return Read(cells.cast(type_), np.zeros(len(cells), dtype=bool))
        except pa.ArrowInvalid:
            pass  # some cell is written in another way
    plain = without_gaps(cells, notation.gaps)
    if pa.types.is_timestamp(type_):
        values = dates(plain, notation.day_first)
    elif pa.types.is_boolean(type_):
        values = _truths(plain)
    else:
        values = numbers(plain, decimal)
    bad = pc.and_(plain.is_valid(), values.is_null())
    return Read(values, bad.to_numpy(zero_copy_only=False))


def without_gaps(cells: pa.Array, gaps: Collection[str] = ()) -> pa.Array:
    """Return trimmed cells, missing where they hold a word for a missing value."""
    trimmed = pc.utf8_trim_whitespace(cells)
    words = pa.array([*GAPS_AMONG_NUMBERS, *(gap.lower() for gap in gaps)])
    return pc.if_else(
        pc.is_in(pc.utf8_lower(trimmed), value_set=words),
        pa.scalar(None, pa.string()),
        trimmed,
    )


def numbers(cells: pa.Array, decimal: str = ".") -> pa.Array:
    """Return trimmed cells as numbers, missing where they are none, (rows,)."""
    text = pc.replace_substring_regex(cells, "[−–]", "-")
    text = pc.replace_substring_regex(text, r"^\((.*)\)$", r"-\1")
    text = pc.replace_substring_regex(text, r"\s*(?:[$€£¥]|\b(?:EUR|USD)\b)\s*", "")
    text = pc.replace_substring_regex(text, r"\s*%$", "")
    grouped = r"^([+-]?\d{1,3}(?:[ \x{a0}\x{202f}\x{2009}'’]\d{3})+)([.,]\d+)?$"
    text = pc.if_else(
        pc.match_substring_regex(text, grouped),
        pc.replace_substring_regex(text, r"[ \x{a0}\x{202f}\x{2009}'’]", ""),
        text,
    )
    whole = rf"(?i)^[+-]?(?:(?:{DIGITS[decimal]})(?:e[+-]?\d+)?|inf|infinity)$"
    text = pc.if_else(
        pc.match_substring_regex(text, whole), text, pa.scalar(None, pa.string())
    )
    text = pc.replace_substring(text, "," if decimal == "." else ".", "")
    return pc.replace_substring(text, ",", ".").cast(pa.float64())


def signs_in(cells: pa.Array, decimal: str) -> list[str]:
    """Return what had to be removed from some of the cells of numbers."""
    found = [
        name
        for name, sign in SIGNS.items()
        if pc.any(pc.match_substring_regex(cells, sign)).as_py()
    ]
    thousands = r"\d,\d{3}" if decimal == "." else r"\d\.\d{3}"
    if pc.any(pc.match_substring_regex(cells, thousands)).as_py():
        found.append(f"{'commas' if decimal == '.' else 'points'} between thousands")
    return found


def _truths(cells: pa.Array) -> pa.Array:
    """Return trimmed cells as true or false, missing if they are neither, (rows,)."""
    lower = pc.utf8_lower(cells)
    no = pc.is_in(lower, value_set=pa.array(["0", "false"]))
    yes = pc.is_in(lower, value_set=pa.array(["1", "true"]))
    return pc.if_else(pc.or_(yes, no), yes, pa.scalar(None, pa.bool_()))
