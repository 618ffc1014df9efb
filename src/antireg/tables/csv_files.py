"""Text files of cells, read in pieces of bounded size, or whole with types inferred.

Columns are read as their types at once. Where a cell does not allow it, the file is
read again from there as text, and cell by cell.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from antireg.advice import warn_user
from antireg.tables import names
from antireg.tables.cells import GAPS
from antireg.tables.formats import Format, open_text
from antireg.tables.pieces import Piece, Wanted

BLOCK_BYTES = 2**21

CSV_BYTES = pa.large_binary()
"""Type of unparsed CSV cells; bytes in a Parquet file have the smaller type."""

CONVERSION = re.compile(r"CSV column #\d+.*conversion error to (double|bool|timestamp)")


class Block(NamedTuple):
    """Rows as one reader has them, the same rows unparsed, and the share read."""

    rows: pa.RecordBatch
    kept: pa.RecordBatch | None
    share: float


def read_csv(
    path: Path, columns: Collection[str], text: Collection[str], layout: Format
) -> pa.Table:
    """Return these columns of a file, with types inferred from all rows.

    Args:
        path: The file.
        columns: Names.
        text: Columns to be read as text whatever they look like.
        layout: How it is written.
    """
    types = dict.fromkeys(text, pa.string())
    table = _read(path, _convert(types, columns, GAPS, layout), layout)
    gapped = [name for name in table.column_names if table[name].null_count]
    if gapped:
        types = dict.fromkeys(gapped, pa.string())
        usual = _convert(types, gapped, sorted(USUAL_GAPS), layout)
        _say_gaps(_read(path, usual, layout))
    return table


def _read(path: Path, convert: csv.ConvertOptions, layout: Format) -> pa.Table:
    with open_text(path, layout.encoding or "utf-8") as opened:
        return csv.read_csv(
            opened.text, parse_options=_parse(layout), convert_options=convert
        )


def _say_gaps(cells: pa.Table) -> None:
    """Say which cells are gaps that not everyone would read as such."""
    for word in GAPS:
        named = [
            name
            for name in cells.column_names
            if pc.any(pc.equal(cells[name], word)).as_py()
        ]
        if named:
            warn_user(f"Read {word!r} in {names.columns(named)} as missing.")


def stream_csv(path: Path, wanted: Wanted, layout: Format) -> Iterator[Piece]:
    """Yield the rows of a file piece by piece, in order."""
    n_blocks = n_rows = 0
    try:
        for block in _blocks(path, wanted.types, wanted, layout):
            n_blocks += 1
            if block.rows.num_rows:
                yield Piece(block.rows, block.share, block.kept, n_rows)
                n_rows += block.rows.num_rows
        return
    except pa.ArrowInvalid as error:
        if not CONVERSION.search(str(error)):
            raise
    texts = dict.fromkeys(wanted.types, pa.string())
    # Blocks of equal size end at the same rows, whatever types the columns get.
    for block in islice(_blocks(path, texts, wanted, layout), n_blocks, None):
        if block.rows.num_rows:
            columns = dict(zip(wanted.types, block.rows.columns, strict=True))
            decimal = layout.decimal or "."
            values, bad = wanted.read(columns, decimal, first=n_rows == 0)
            rows = pa.record_batch(list(values.values()), names=list(values))
            yield Piece(rows, block.share, block.kept, n_rows, bad)
            n_rows += block.rows.num_rows


def _blocks(
    path: Path, types: Mapping[str, pa.DataType], wanted: Wanted, layout: Format
) -> Iterator[Block]:
    """Yield all blocks of a file, empty ones too."""
    size = os.path.getsize(path)
    gaps = [word for word in GAPS if word not in wanted.values or word in USUAL_GAPS]
    untouched = csv.ConvertOptions(
        column_types=dict.fromkeys(wanted.also, CSV_BYTES),
        include_columns=list(wanted.also),
        null_values=[],
    )
    with ExitStack() as stack:

        def opened(convert: csv.ConvertOptions) -> tuple[Any, Any]:
            file = stack.enter_context(open_text(path, layout.encoding or "utf-8"))
            options = csv.ReadOptions(block_size=BLOCK_BYTES)
            reader = csv.open_csv(file.text, options, _parse(layout), convert)
            return reader, file.raw

        blocks, raw = opened(_convert(types, types, gaps, layout))
        copies = opened(untouched)[0] if wanted.also else None
        for rows in blocks:
            kept = None if copies is None else copies.read_next_batch()
            yield Block(rows, kept, min(raw.tell() / max(size, 1), 1.0))


USUAL_GAPS = frozenset(csv.ConvertOptions().null_values)
"""Cells that are gaps even if a category has that name, as in older models."""


def _parse(layout: Format) -> csv.ParseOptions:
    return csv.ParseOptions(delimiter=layout.separator or ",")


def _convert(
    types: Mapping[str, pa.DataType],
    columns: Collection[str],
    gaps: list[str],
    layout: Format,
) -> csv.ConvertOptions:
    return csv.ConvertOptions(
        column_types=types,
        include_columns=list(columns),
        null_values=gaps,
        strings_can_be_null=True,
        decimal_point=layout.decimal or ".",
    )
