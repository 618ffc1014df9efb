"""What is read of a file: pieces of rows, and the cells in them that make no sense."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antireg.tables.cells import read_cells
from antireg.tables.names import short
from antireg.tables.notation import BadCell, Notation

FEWEST_WRONG = 10
"""If so many cells of a column are all wrong, the column is, and not its cells."""

NOUNS = {"double": "numbers", "bool": "true or false", "string": "UTF-8 text"}


class Piece(NamedTuple):
    """Some rows of a file.

    Attributes:
        rows: Values of the columns to read, missing where a cell cannot be read.
        share: Of the file read so far.
        kept: Columns kept unchanged. Those of a text file are bytes: no cell is read
            as a number, date or gap.
        start: Rows of the file before these.
        bad: Cells that cannot be read; their rows count from 0 in this piece.
    """

    rows: pa.RecordBatch
    share: float
    kept: Any = None
    start: int = 0
    bad: tuple[BadCell, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """What to read of a file.

    Attributes:
        types: Names and types of the columns to read.
        also: Columns to keep unchanged.
        notations: How the cells of columns are written, where that is known.
        values: Words that are values, even if they usually mean a gap.
    """

    types: Mapping[str, pa.DataType]
    also: tuple[str, ...] = ()
    notations: Mapping[str, Notation] = field(default_factory=dict)
    values: Collection[str] = ()

    def read(
        self, texts: Mapping[str, pa.Array], decimal: str, *, first: bool
    ) -> tuple[dict[str, pa.Array], tuple[BadCell, ...]]:
        """Return columns of text as values, and the cells that are none.

        Args:
            texts: Columns by name.
            decimal: The decimal mark.
            first: Whether no rows came before: then a column may be refused.
        """
        values: dict[str, pa.Array] = {}
        bad: list[BadCell] = []
        for name, text in texts.items():
            notation = self.notations.get(name, Notation())
            read = read_cells(text, self.types[name], notation, decimal)
            rows = np.flatnonzero(read.bad)
            if first and len(rows) >= FEWEST_WRONG and not _any_read(text, read.values):
                raise mistyped(name, self.types[name], repr(text[int(rows[0])].as_py()))
            values[name] = read.values
            bad += _bad_cells(name, rows, text)
        return values, tuple(bad)

    def typed(
        self, rows: pa.RecordBatch, *, first: bool
    ) -> tuple[pa.RecordBatch, tuple[BadCell, ...]]:
        """Return rows that have types already as the types that are wanted.

        Text where there should be numbers or dates is read as in a file of text.

        Args:
            rows: With all columns that are wanted.
            first: Whether no rows came before.
        """
        texts = {n: c for n in self.types if _is_text(c := rows.column(n))}
        read, bad = self.read(
            {n: c.cast(pa.string()) for n, c in texts.items()}, ".", first=first
        )
        values = [
            read[n] if n in read else _cast(n, rows.column(n), type_)
            for n, type_ in self.types.items()
        ]
        return pa.record_batch(values, names=list(self.types)), bad


def strictly(pieces: Iterator[Piece], types: Mapping[str, pa.DataType]) -> Any:
    """Yield the same pieces; raise if one has a cell that cannot be read."""
    for piece in pieces:
        if piece.bad:
            cell = min(piece.bad)
            row = piece.start + cell.row + 1
            found = f"{short(repr(cell.text))} in row {row:,}"
            raise mistyped(cell.column, types[cell.column], found)
        yield piece


def mistyped(name: str, type_: object, found: str) -> ValueError:
    """Return the error of a column with something else than its kind."""
    noun = "dates" if str(type_).startswith("timestamp") else NOUNS.get(str(type_))
    return ValueError(
        f"Column {name!r} must hold {noun or type_} as in training, got "
        f"{short(found)}. Correct the value, or leave the field empty if it is missing."
    )


def _any_read(text: pa.Array, values: pa.Array) -> bool:
    return bool(values.null_count < len(values)) or text.null_count == len(text)


def _bad_cells(name: str, rows: NDArray[np.intp], text: pa.Array) -> Iterator[BadCell]:
    texts = text.take(pa.array(rows)).to_pylist() if rows.size else []
    for row, cell in zip(rows.tolist(), texts, strict=True):
        yield BadCell(row, name, cell)


def _is_text(values: pa.Array) -> bool:
    type_ = values.type
    inner = type_.value_type if pa.types.is_dictionary(type_) else type_
    return bool(pa.types.is_string(inner) or pa.types.is_large_string(inner))


def _cast(name: str, values: pa.Array, type_: pa.DataType) -> Any:
    days = pa.types.is_timestamp(type_)
    if days and not (
        pa.types.is_timestamp(values.type)
        or pa.types.is_date(values.type)
        or pa.types.is_null(values.type)
    ):
        raise mistyped(name, type_, str(values.type))
    try:
        return pc.cast(values, type_, safe=not days)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise mistyped(name, type_, str(values.type)) from error
