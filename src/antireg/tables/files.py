"""Tables in files of text or Parquet, read in pieces of bounded size."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from antireg.tables.csv_files import read_csv, stream_csv
from antireg.tables.formats import FOUND_OUT, Format, kind_of, recognised
from antireg.tables.header import csv_header
from antireg.tables.names import columns as columns_named
from antireg.tables.names import listing, short
from antireg.tables.notation import Notation
from antireg.tables.pieces import Piece, Wanted
from antireg.tables.recognising import recognise


def column_names(path: Path, stated: Format = FOUND_OUT) -> list[str]:
    """Return the names of a file's columns; raise if two are equal."""
    if is_parquet(path):
        with clear_errors(path), parquet.ParquetFile(path) as file:
            names: list[str] = file.schema_arrow.names
    else:
        with clear_errors(path):
            names = csv_header(path, recognised(path, stated))
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise ValueError(
            f"The columns of {path.name!r} must have names of their own, got "
            f"{listing(twice)} more than once. Rename them."
        )
    return names


def read_table(
    path: Path,
    columns: Collection[str],
    text: Collection[str],
    stated: Format = FOUND_OUT,
) -> pa.Table:
    """Return these columns of a file, with types inferred from all rows.

    Args:
        path: The file.
        columns: Names.
        text: Columns to be read as text whatever they look like.
        stated: What is known of how a text file is written.
    """
    names = column_names(path, stated)
    with clear_errors(path, names):
        if is_parquet(path):
            return parquet.read_table(path, columns=list(columns))
        table = read_csv(path, columns, text, recognised(path, stated))
        for column in table.schema:
            if pa.types.is_binary(column.type):
                raise _other_encoding(path, f"Column {column.name!r}")
        return table


def stream_table(
    path: Path,
    types: Mapping[str, pa.DataType],
    *,
    also: Collection[str] = (),
    notations: Mapping[str, Notation] | None = None,
    values: Collection[str] = (),
    stated: Format = FOUND_OUT,
) -> Iterator[Piece]:
    """Yield the rows of a file piece by piece, in order.

    Args:
        path: The file.
        types: Names and types of the columns to read.
        also: Columns to keep unchanged.
        notations: How the cells of columns are written, where that is known.
        values: Words that are values, even if they usually mean a gap.
        stated: What is known of how a text file is written.
    """
    names = column_names(path, stated)
    known = set(names)
    missing = [name for name in [*types, *also] if name not in known]
    if missing:
        raise ValueError(
            f"{path.name!r} must have the {columns_named(missing)}, got only "
            f"{listing(names)}. Columns are matched by name."
        )
    wanted = Wanted(types, tuple(also), notations or {}, values)
    with clear_errors(path, names):
        if is_parquet(path):
            yield from _stream_parquet(path, wanted)
        else:
            yield from stream_csv(path, wanted, recognised(path, stated))


class ParquetTable:
    """A Parquet file to train on, read column by column or in pieces."""

    def __init__(self, path: Path, columns: Collection[str]) -> None:
        """Open the file without reading its rows."""
        self.path, self.column_names = path, list(columns)
        self.notations: dict[str, Notation] = {}
        with clear_errors(path):
            self.file = _opened(path)
        self.num_rows: int = self.file.metadata.num_rows

    def __getitem__(self, name: str) -> pa.ChunkedArray:
        """Return a column."""
        with clear_errors(self.path):
            values = self.file.read([name])[name]
            values.validate(full=True)
            if len(values) != self.num_rows:
                raise pa.ArrowInvalid(f"{name!r} has not as many rows as the file")
            return values

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows, some at a time, in order; then close the file."""
        with clear_errors(self.path), self.file:
            yield from _batches(self.file, self.column_names)


def is_parquet(path: Path) -> bool:
    """Return whether a file is Parquet, by its name; raise if it is no text either."""
    kind = kind_of(path)
    if kind == "sheet":
        raise ValueError(
            f"{path.name!r} must be opened as a sheet first. Use sheets.as_text."
        )
    return kind == "parquet"


def open_table(
    path: Path,
    columns: Collection[str],
    text: Collection[str],
    *,
    stated: Format = FOUND_OUT,
    day_first: bool | None = None,
    most_categories: int = 100,
) -> Any:
    """Return these columns of a file to train on, read when they are needed.

    The types of a text file are inferred from all rows, so it is read whole. What is
    not plain about its numbers and dates is said in warnings.

    Args:
        path: The file.
        columns: Names.
        text: Columns to be read as text whatever they look like.
        stated: What is known of how a text file is written.
        day_first: Whether 3/4/2024 is in April; by default, as other rows say.
        most_categories: A column with more different values cannot be categories.
    """
    if is_parquet(path):
        return ParquetTable(path, columns)
    table = read_table(path, columns, text, stated)
    decimal = recognised(path, stated).decimal or "."
    return recognise(table, text, decimal, day_first, most_categories)


@contextmanager
def clear_errors(path: Path, names: Collection[str] = ()) -> Iterator[None]:
    """Turn a reader's error into a sentence about the file and its column."""
    if not path.is_file():
        raise ValueError(f"There is no file {str(path)!r}. Check its name.")
    try:
        yield
    except UnicodeDecodeError as error:
        raise _other_encoding(path, "What is", error.encoding) from error
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno:
            raise  # an error of the system: damaged Parquet files give no errno
        said = short((str(error).splitlines() or [""])[0])
        found = re.search(r"CSV column #(\d+).*conversion error to string", said)
        if found and int(found[1]) < len(names):
            name = list(names)[int(found[1])]
            raise _other_encoding(path, f"Column {name!r}") from error
        raise ValueError(
            f"{path.name!r} must be a table with one line of names, as text or "
            f"Parquet, got a file that cannot be read: {said}"
        ) from error


def _other_encoding(path: Path, what: str, encoding: str = "utf-8") -> ValueError:
    return ValueError(
        f"{what} in {path.name!r} must be text in {encoding.upper()}, got other bytes. "
        "Say how it is written: --encoding cp1252 (Western European) or --encoding "
        "utf-16, for example."
    )


def _stream_parquet(path: Path, wanted: Wanted) -> Iterator[Piece]:
    names = list(dict.fromkeys([*wanted.types, *wanted.also]))
    with _opened(path) as file:
        total, done = max(file.metadata.num_rows, 1), 0
        for batch in _batches(file, names):
            rows, bad = wanted.typed(batch, first=done == 0)
            kept = batch.select(list(wanted.also)) if wanted.also else None
            yield Piece(rows, (done + batch.num_rows) / total, kept, done, bad)
            done += batch.num_rows


def _opened(path: Path) -> parquet.ParquetFile:
    """Return a file that releases rows once they are read.

    Prefetched rows would stay in memory to the end.
    """
    return parquet.ParquetFile(path, pre_buffer=False)


def _batches(file: parquet.ParquetFile, names: list[str]) -> Iterator[pa.RecordBatch]:
    """Yield all rows, some at a time; raise if they are not what their types say."""
    for batch in file.iter_batches(2**14, columns=names):
        batch.validate(full=True)  # text of a spoiled file may be no UTF-8
        yield batch
