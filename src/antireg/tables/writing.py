"""CSV and Parquet files of results, which appear under their name once complete.

In CSV, text of ours that a spreadsheet would run as a formula gets an apostrophe in
front. Kept columns are copied byte for byte, with quotes where CSV needs them. Ours are
written beside them in the same notation: who can read the table can read the results.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from antireg.disk.atomic import whole_file
from antireg.tables.csv_files import CSV_BYTES
from antireg.tables.formats import FOUND_OUT, Format

NUMBER = r"^[+-][0-9.]*(?:[eE][+-]?[0-9]+)?$"
"""A sign alone or before a number, which is not a formula."""


class TableWriter:
    """Writes rows to a file that appears under its name once it is complete.

    Args:
        path: The file; its suffix decides the format.
        kept: Columns copied from the user's file, which are not ours to change.
        notation: Separator and decimal mark of CSV, by default a comma and a point.
    """

    def __init__(
        self, path: Path, kept: Collection[str] = (), notation: Format = FOUND_OUT
    ) -> None:
        """Choose the format by the file's suffix."""
        self.path, self.kept = path, frozenset(kept)
        self.separator = (notation.separator or ",").encode()
        self.decimal = (notation.decimal or ".").encode()
        self.parquet = path.suffix == ".parquet"
        if path.suffix not in (".csv", ".parquet"):
            raise ValueError(
                f"--out must be a file ending in .csv or .parquet, got {path.name!r}. "
                "Rename it."
            )
        self.writer: Any = None
        self.stack = ExitStack()

    def __enter__(self) -> TableWriter:
        """Open the file, so that a place that cannot be written to fails now."""
        self.file = self.stack.enter_context(whole_file(self.path))
        return self

    def write(self, rows: pa.RecordBatch) -> None:
        """Add rows."""
        if self.parquet:
            rows = _with_text(rows)
            if self.writer is None:
                self.writer = parquet.ParquetWriter(self.file, rows.schema)
            self.writer.write_batch(rows)
            return
        if self.writer is None:
            self.writer = self.file
            header = pa.array(rows.schema.names, pa.binary())
            names = _quoted(header, self.separator).to_pylist()
            self.file.write(self.separator.join(names) + b"\n")
        self.file.write(self._lines(rows))

    def _lines(self, rows: pa.RecordBatch) -> Any:
        """Return rows as lines of CSV, in bytes."""
        columns = [
            self._cells(name, column)
            for name, column in zip(rows.schema.names, rows.columns, strict=True)
        ]
        lines = pc.binary_join_element_wise(*columns, self.separator)
        ends = pc.binary_join_element_wise(lines, b"\n", b"")
        whole = pc.binary_join(pa.ListArray.from_arrays([0, len(ends)], ends), b"")
        return whole[0].as_buffer()

    def _cells(self, name: str, values: pa.Array) -> pa.Array:
        """Return a column as cells of CSV."""
        cells, numbers = _text(name, values), _are_numbers(values)
        if not numbers and name not in self.kept:
            cells = _harmless(cells)
        if self.decimal != b"." and pa.types.is_floating(values.type):
            cells = pc.replace_substring(cells, b".", self.decimal)
        plain = numbers and self.decimal != self.separator
        return cells if plain else _quoted(cells, self.separator)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give the file its name, or remove it if something went wrong."""
        try:
            if self.parquet and self.writer is not None:
                self.writer.close()
        except BaseException:
            self.stack.__exit__(*sys.exc_info())
            raise
        self.stack.__exit__(kind, error, trace)


def _text(name: str, values: pa.Array) -> pa.Array:
    """Return a column as text, in bytes; missing values are empty."""
    try:
        cells = values
        if not pa.types.is_binary(values.type) and values.type != CSV_BYTES:
            cells = pc.cast(values, pa.string())
        return cells.cast(pa.binary()).fill_null(b"")
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ValueError(
            f"Column {name!r} must hold plain values to be written as CSV, got "
            f"{values.type}. Write Parquet, or leave the column out."
        ) from None


def _are_numbers(values: pa.Array) -> bool:
    """Return whether all are numbers or truth values: neither formulas nor text.

    An infinite one is "-inf", which is text to a spreadsheet.
    """
    if pa.types.is_floating(values.type):
        return bool(pc.all(pc.is_finite(values)).as_py())
    return bool(pa.types.is_integer(values.type) or pa.types.is_boolean(values.type))


def _harmless(cells: pa.Array) -> pa.Array:
    """Put an apostrophe before anything that a spreadsheet would run as a formula."""
    signed = pc.and_not(
        pc.match_substring_regex(cells, r"(?s)^[+-]."),
        pc.match_substring_regex(cells, NUMBER),
    )
    formula = pc.or_(pc.match_substring_regex(cells, r"^[=@\t\r\n]"), signed)
    return pc.if_else(formula, pc.binary_join_element_wise(b"'", cells, b""), cells)


def _quoted(cells: pa.Array, separator: bytes) -> pa.Array:
    """Put quotes around cells that contain separators, quotes or line ends."""
    needed = pc.match_substring_regex(cells, rf'["\r\n{separator.decode()}]')
    if not pc.any(needed).as_py():
        return cells
    doubled = pc.replace_substring(cells, b'"', b'""')
    whole = pc.binary_join_element_wise(b'"', doubled, b'"', b"")
    return pc.if_else(needed, whole, cells)


def _with_text(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows in which unparsed cells of a CSV file are text."""
    columns = []
    for name, values in zip(rows.schema.names, rows.columns, strict=True):
        try:
            cells = values.type == CSV_BYTES
            columns.append(values.cast(pa.string()) if cells else values)
        except pa.ArrowInvalid:
            raise ValueError(
                f"Column {name!r} must hold UTF-8 text to be kept in Parquet, got "
                "other bytes. Write CSV, or leave the column out."
            ) from None
    return pa.record_batch(columns, names=rows.schema.names)
