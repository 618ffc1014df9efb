"""Columns of text that are numbers or dates in other notations than the plain ones.

A column is one of numbers (or dates) if at most one in twenty of its cells is another
word: such words are read as gaps, and named. A column with more of them is one of
categories, unless it has too many values for that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antireg.advice import warn_user
from antireg.tables.cells import numbers, signs_in, without_gaps
from antireg.tables.dates import dates
from antireg.tables.names import columns, counted, short
from antireg.tables.notation import Notation
from antireg.tables.written_dates import first_is_day, looks_like_date

MOST_STRAY = 0.05
"""Share of a column's cells that may be words in a column of numbers."""

FEWEST_NUMBERS = 10
"""With fewer different numbers, words beside them are categories, such as 5+."""


MOST_NAMED = 3
"""Cells that a message names."""

FEWEST_LOOKED_AT = 200
"""If none of so many different cells is a date, the column is not one of dates."""


class TextTable:
    """The rows of a text file to train on, and how its cells are written."""

    def __init__(self, table: pa.Table, notations: dict[str, Notation]) -> None:
        """Keep both."""
        self.table, self.notations = table, notations
        self.column_names, self.num_rows = table.column_names, table.num_rows

    def __getitem__(self, name: str) -> pa.ChunkedArray:
        """Return a column."""
        return self.table[name]

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows, some at a time, in order."""
        yield from self.table.to_batches()


class Found(NamedTuple):
    """Values of a column, those of its cells that are other words, and what was done.

    `open_days` is a cell whose day and month cannot be told apart.
    """

    values: Any
    stray: NDArray[np.bool_]
    done: str
    day_first: bool | None = None
    open_days: str = ""


def recognise(
    table: pa.Table,
    text: Collection[str],
    decimal: str,
    day_first: bool | None = None,
    most_categories: int = 100,
) -> TextTable:
    """Return a table whose text columns are numbers or dates where they say so.

    Args:
        table: As read from a file of text.
        text: Columns that stay text.
        decimal: The decimal mark.
        day_first: Whether 3/4/2024 is in April; by default, as other rows say.
        most_categories: A column with more different values cannot be categories.
    """
    notations, unclear = {}, {}
    done: dict[str, list[str]] = {}
    for index, name in enumerate(table.column_names):
        cells = table[name]
        if name in text or not pa.types.is_string(cells.type):
            continue
        cells = without_gaps(cells.combine_chunks())
        found = _as_numbers(cells, decimal) or _as_dates(cells, day_first)
        if found is None:
            _refuse_many(name, cells, decimal, most_categories)
            continue
        if found.open_days:
            unclear[name] = found.open_days
            continue
        words = pc.unique(cells.filter(pa.array(found.stray))).to_pylist()
        notations[name] = Notation(tuple(sorted(words)), found.day_first)
        table = table.set_column(index, name, found.values)
        if found.done:
            done.setdefault(found.done, []).append(name)
        if words:
            _say_stray(name, cells, found)
    if unclear:
        raise ValueError(
            f"The {columns(list(unclear))} must have dates whose days and months can "
            f"be told apart, got {short(repr(next(iter(unclear.values()))), 40)}. Say "
            "--day-first or --no-day-first."
        )
    for what, names in done.items():
        warn_user(f"Read {columns(names)} as {what}.")
    return TextTable(table, notations)


def _as_numbers(cells: pa.Array, decimal: str) -> Found | None:
    values = numbers(cells, decimal)
    stray = _stray(cells, values)
    n_values = len(values) - values.null_count
    few = pc.count_distinct(values).as_py() < FEWEST_NUMBERS
    if not n_values or (stray.any() and (few or _many(stray, n_values))):
        return None
    signs = signs_in(cells.filter(values.is_valid()), decimal)
    done = f"numbers, without {' and '.join(signs)}" if signs else ""
    return Found(values, stray, done)


def _as_dates(cells: pa.Array, day_first: bool | None) -> Found | None:
    known = [text for text in pc.unique(cells).to_pylist() if text is not None]
    if not any(looks_like_date(text) for text in known[:FEWEST_LOOKED_AT]):
        return None
    first = first_is_day(known) if day_first is None else day_first
    # Whether it is one of dates does not depend on the order, which may be unclear.
    values = dates(cells, first)
    stray = _stray(cells, values)
    n_values = len(values) - values.null_count
    if first is None and _many(stray, n_values):
        guess = dates(cells, True)
        if not _many(_stray(cells, guess), len(guess) - guess.null_count):
            unclear = pc.unique(cells.filter(pa.array(stray)))
            return Found(guess, stray, "", open_days=unclear[0].as_py())
    if not n_values or _many(stray, n_values):
        return None
    order = {None: "", True: ", days before months", False: ", months before days"}
    return Found(values, stray, f"dates{order[first]}", first)


def _stray(cells: pa.Array, values: pa.Array) -> NDArray[np.bool_]:
    """Return which cells hold something that is no value, (rows,)."""
    stray = pc.and_(cells.is_valid(), values.is_null())
    found: NDArray[np.bool_] = stray.to_numpy(zero_copy_only=False)
    return found


def _many(stray: NDArray[np.bool_], n_values: int) -> bool:
    return bool(stray.sum() > MOST_STRAY * (n_values + stray.sum()))


def _say_stray(name: str, cells: pa.Array, found: Found) -> None:
    n_stray = int(found.stray.sum())
    n_values = len(found.values) - found.values.null_count
    noun = "date" if pa.types.is_timestamp(found.values.type) else "number"
    warn_user(
        f"Column {name!r} holds {counted(n_values, noun)} and "
        f"{_words(cells, found.stray)}: {'it is' if n_stray == 1 else 'they are'} read "
        f"as missing. Correct {'it' if n_stray == 1 else 'them'}, or add --categorical "
        f"{name!r} if all of it is names.",
    )


def _refuse_many(name: str, cells: pa.Array, decimal: str, most: int) -> None:
    """Raise if a column is mostly of numbers and cannot be one of categories."""
    values = numbers(cells, decimal)
    stray = _stray(cells, values)
    n_values = len(values) - values.null_count
    if n_values <= stray.sum() or pc.count_distinct(cells).as_py() <= most:
        return
    raise ValueError(
        f"Column {name!r} must hold numbers alone, got {n_values:,} of them and "
        f"{_words(cells, stray)}. Correct them, leave these fields empty, or leave the "
        f"column out with --drop {name!r}."
    )


def _words(cells: pa.Array, stray: NDArray[np.bool_]) -> str:
    """Return how many cells are stray, and the first of them with their rows."""
    rows = np.flatnonzero(stray)
    texts = cells.take(pa.array(rows[:MOST_NAMED])).to_pylist()
    some = [
        f"{short(repr(text), 40)} in row {row + 1:,}"
        for row, text in zip(rows, texts, strict=False)
    ]
    more = len(rows) - len(some)
    ending = f" and {more:,} more" if more else ""
    return f"{counted(len(rows), 'other word')}, {', '.join(some)}{ending}"
