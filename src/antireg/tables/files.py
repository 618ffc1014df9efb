"""CSV and Parquet files, read in pieces of bounded size."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from antireg.tables.header import csv_header
from antireg.tables.names import listing, short

SUFFIXES = (".csv", ".parquet")
BLOCK_BYTES = 2**21

CSV_BYTES = pa.large_binary()
"""Type of unparsed CSV cells; bytes in a Parquet file have the smaller type."""


class Piece(NamedTuple):
    """Some rows of a file, the share of it read so far, and columns kept unchanged.

    Those of a CSV file are `CSV_BYTES`: no cell is read as a number, date or gap.
    """

    rows: pa.RecordBatch
    share: float
    kept: Any = None


def column_names(path: Path) -> list[str]:
    """Return the names of a file's columns; raise if two are equal."""
    if is_parquet(path):
        with _clear_errors(path, []), parquet.ParquetFile(path) as file:
            names: list[str] = file.schema_arrow.names
    else:
        with _clear_errors(path, []):
            names = csv_header(path)
        if len(names) == 1 and any(sign in names[0] for sign in ";\t|"):
            raise ValueError(
                f"{path.name!r} must be separated by commas, got one column named "
                f"{listing(names)}. Convert it."
            )
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise ValueError(
            f"The columns of {path.name!r} must have names of their own, got "
            f"{listing(twice)} more than once. Rename them."
        )
    return names


def read_table(path: Path, columns: Collection[str], text: Collection[str]) -> pa.Table:
    """Return these columns of a file, with types inferred from all rows.

    Args:
        path: The file.
        columns: Names.
        text: Columns to be read as text whatever they look like.
    """
    with _clear_errors(path, column_names(path)):
        if is_parquet(path):
            return parquet.read_table(path, columns=list(columns))
        types = dict.fromkeys(text, pa.string())
        return csv.read_csv(path, convert_options=_convert(types, columns))


def stream_table(
    path: Path, types: Mapping[str, pa.DataType], *, also: Collection[str] = ()
) -> Iterator[Piece]:
    """Yield the rows of a file piece by piece, in order.

    Args:
        path: The file.
        types: Names and types of the columns to read.
        also: Columns to keep unchanged.
    """
    names = column_names(path)
    known = set(names)
    missing = [name for name in [*types, *also] if name not in known]
    if missing:
        raise ValueError(
            f"{path.name!r} must have the columns {listing(missing)}, got only "
            f"{listing(names)}. Columns are matched by name."
        )
    with _clear_errors(path, names):
        if is_parquet(path):
            yield from _stream_parquet(path, types, list(also))
        else:
            yield from _stream_csv(path, types, list(also))


class ParquetTable:
    """A Parquet file to train on, read column by column or in pieces."""

    def __init__(self, path: Path, columns: Collection[str]) -> None:
        """Open the file without reading its rows."""
        self.path, self.column_names = path, list(columns)
        with _clear_errors(path, []):
            self.file = _opened(path)
        self.num_rows: int = self.file.metadata.num_rows

    def __getitem__(self, name: str) -> pa.ChunkedArray:
        """Return a column."""
        with _clear_errors(self.path, []):
            values = self.file.read([name])[name]
            values.validate(full=True)  # text of a spoiled file may be no UTF-8
            if len(values) != self.num_rows:
                raise pa.ArrowInvalid(f"{name!r} has not as many rows as the file")
            return values

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows, some at a time, in order; then close the file."""
        with _clear_errors(self.path, []), self.file:
            yield from self.file.iter_batches(2**14, columns=self.column_names)


def open_table(path: Path, columns: Collection[str], text: Collection[str]) -> Any:
    """Return these columns of a file to train on, read when they are needed.

    The types of a CSV file are inferred from all rows, so it is read whole.

    Args:
        path: The file.
        columns: Names.
        text: Columns to be read as text whatever they look like.
    """
    if path.suffix == ".parquet":
        return ParquetTable(path, columns)
    return read_table(path, columns, text)


def _stream_csv(
    path: Path, types: Mapping[str, pa.DataType], also: list[str]
) -> Iterator[Piece]:
    size = os.path.getsize(path)
    options = csv.ReadOptions(block_size=BLOCK_BYTES)
    # Blocks of equal size end at the same rows, whatever types the columns get.
    untouched = csv.ConvertOptions(
        column_types=dict.fromkeys(also, CSV_BYTES),
        include_columns=also,
        null_values=[],
    )
    with path.open("rb") as raw, path.open("rb") as again:
        pieces = csv.open_csv(raw, options, convert_options=_convert(types, types))
        copies = None
        if also:
            copies = csv.open_csv(again, options, convert_options=untouched)
        for batch in pieces:
            kept = None if copies is None else copies.read_next_batch()
            if batch.num_rows:
                yield Piece(batch, min(raw.tell() / max(size, 1), 1.0), kept)


def _stream_parquet(
    path: Path, types: Mapping[str, pa.DataType], also: list[str]
) -> Iterator[Piece]:
    wanted = list(dict.fromkeys([*types, *also]))
    with _opened(path) as file:
        total, done = max(file.metadata.num_rows, 1), 0
        for batch in file.iter_batches(2**14, columns=wanted):
            columns = [_cast(name, batch.column(name), types) for name in types]
            done += batch.num_rows
            rows = pa.record_batch(columns, names=list(types))
            yield Piece(rows, done / total, batch.select(also) if also else None)


def _opened(path: Path) -> parquet.ParquetFile:
    """Return a file that releases rows once they are read.

    Prefetched rows would stay in memory to the end.
    """
    return parquet.ParquetFile(path, pre_buffer=False)


def _cast(name: str, values: pa.Array, types: Mapping[str, pa.DataType]) -> pa.Array:
    try:
        return pc.cast(values, types[name])
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise _mistyped(name, types[name], str(values.type)) from error


def _convert(
    types: Mapping[str, pa.DataType], columns: Collection[str]
) -> csv.ConvertOptions:
    return csv.ConvertOptions(
        column_types=types, include_columns=list(columns), strings_can_be_null=True
    )


@contextmanager
def _clear_errors(path: Path, names: list[str]) -> Iterator[None]:
    """Turn a reader's error into a sentence about the file and its column."""
    if not path.is_file():
        raise ValueError(f"There is no file {str(path)!r}. Check its name.")
    try:
        yield
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        if isinstance(error, OSError) and error.errno:
            raise  # an error of the system: damaged Parquet files give no errno
        said = short((str(error).splitlines() or [""])[0])
        found = re.search(r"CSV column #(\d+).*conversion error to (\w+): (.*)", said)
        if found and int(found[1]) < len(names):
            raise _mistyped(names[int(found[1])], found[2], found[3]) from error
        raise ValueError(
            f"{path.name!r} must be a table with one line of names, as CSV or Parquet, "
            f"got a file that cannot be read: {said}"
        ) from error


def _mistyped(name: str, type_: object, found: str) -> ValueError:
    kinds = {"double": "numbers", "bool": "true or false", "string": "UTF-8 text"}
    return ValueError(
        f"Column {name!r} must hold {kinds.get(str(type_), str(type_))} as in "
        f"training, got {short(found)}. Correct the value, or leave the field empty if "
        "it is missing."
    )


def is_parquet(path: Path) -> bool:
    """Return whether a file is Parquet, by its name; raise if it is not CSV either."""
    if path.suffix not in SUFFIXES:
        raise ValueError(
            f"A table must be a file ending in {' or '.join(SUFFIXES)}, got "
            f"{path.name!r}. Rename or convert it."
        )
    return path.suffix == ".parquet"
