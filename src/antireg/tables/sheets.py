"""Excel files: their first sheet, written out as plain text and read from there."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from antireg.disk.atomic import whole_file
from antireg.disk.scratch import scratch
from antireg.tables.formats import Format, kind_of
from antireg.tables.sheet_bounds import MOST_ROWS, Book, TooLarge

PLAIN = Format("utf-8", ",", ".")


@contextmanager
def as_text(path: Path, stated: Format) -> Iterator[tuple[Path, Format]]:
    """Yield a file that can be read piece by piece, and how it is written.

    Args:
        path: A table; if it is a sheet, a copy of it is deleted afterwards.
        stated: What is known of how a text file is written.
    """
    if kind_of(path) != "sheet":
        yield path, stated
        return
    if not path.is_file():
        raise ValueError(f"There is no file {str(path)!r}. Check its name.")
    with scratch() as folder:
        copy = folder / f"{path.name}.csv"
        with whole_file(copy) as file:
            text = codecs.getwriter("utf-8")(file)
            csv.writer(text, lineterminator="\n").writerows(sheet_rows(path))
        yield copy, PLAIN


def sheet_rows(path: Path) -> Iterator[list[str]]:
    """Yield the first sheet row by row, as text, without empty rows."""
    width = 0
    for number, values in enumerate(_values(path), 1):
        if number > MOST_ROWS:
            raise _too_large(path, f"more than {MOST_ROWS:,} rows")
        cells = [_text(value) for value in values]
        while cells and not cells[-1]:
            cells.pop()
        if not cells:
            continue
        width = width or len(cells)
        if len(cells) > width:
            raise ValueError(
                f"{path.name!r} must have a name above every column, got "
                f"{width} names and {len(cells)} cells in row {number}. Add names."
            )
        yield cells + [""] * (width - len(cells))


def _values(path: Path) -> Iterator[tuple[Any, ...]]:
    """Yield the values of the first sheet row by row."""
    try:
        from openpyxl.reader.excel import ExcelReader  # noqa: PLC0415  (extra `xlsx`)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "openpyxl is needed to read .xlsx. Use: pip install 'antireg[xlsx]'",
            name="openpyxl",
        ) from error
    # Opened here: openpyxl leaves a file open if anything is wrong with it.
    with _readable(path), path.open("rb") as file:
        reader = ExcelReader(file, read_only=True, data_only=True, keep_links=False)
        reader.archive = Book(file)
        reader.read()
        sheet = reader.wb.worksheets[0]
        sheet.reset_dimensions()  # what a file says of its size is often wrong
        yield from sheet.iter_rows(values_only=True)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Say in a sentence what goes wrong."""
    try:
        yield
    except TooLarge as error:
        raise _too_large(path, str(error)) from error
    except Exception as error:  # its parts are read by several libraries
        raise ValueError(
            f"{path.name!r} must be an Excel file with a sheet, got one that cannot be "
            f"read: {type(error).__name__}. Open and save it again, or export CSV."
        ) from error


def _too_large(path: Path, found: str) -> ValueError:
    return ValueError(
        f"{path.name!r} must be an Excel file of a usual size, got {found}. Export CSV "
        "or Parquet."
    )


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat(" ") if isinstance(value, datetime) else str(value)
