"""What kind of file a table is: by its name, and by a look at its beginning.

Text may be compressed, in another encoding than UTF-8, separated by semicolons, tabs or
bars, and have decimal commas. Whatever of this is not stated is recognised.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import contextmanager
from csv import Error, reader
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa

TEXT = (".csv", ".tsv", ".tab", ".txt")
COMPRESSION = {".gz": "gzip", ".zst": "zstd"}
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
BOMS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""First bytes of a file, the longer ones first: one begins with another."""

SAMPLE_BYTES = 2**16
MOST_NAMES = 1000
"""Columns of the sample in which decimal marks are looked for."""

WITH_COMMA = re.compile(
    r"[^\w,.]*(0,\d+|\d{4,},\d+|\d+,(\d\d?|\d{4,})|\d{1,3}(\.\d{3})+,\d+)[^\w,.]*"
)
WITH_POINT = re.compile(
    r"[^\w,.]*(0?\.\d+|\d{4,}\.\d+|\d+\.(\d\d?|\d{4,})|\d{1,3}(,\d{3})+\.\d+)"
    r"([eE][+-]?\d+)?[^\w,.]*"
)
EITHER = re.compile(r"[^\w,.]*\d{1,3}(,\d{3})+[^\w,.]*")
"""Cells with one number that show its decimal mark, or leave it open: 1,234."""


@dataclass(frozen=True)
class Format:
    """How a text file is written; None is found out.

    Attributes:
        encoding: As Python names it.
        separator: Between cells, one of `SEPARATORS`.
        decimal: "." or ",".
    """

    encoding: str | None = None
    separator: str | None = None
    decimal: str | None = None

    @property
    def words(self) -> str:
        """What is not usual about it, "" if nothing is."""
        other = self.encoding not in (None, "utf-8")
        found = [f"in {self.encoding}"] if other else []
        return ", ".join([*found, *([self.marks] if self.marks else [])])

    @property
    def marks(self) -> str:
        """What is not usual about its separators and decimal marks, "" if nothing."""
        found = []
        if self.separator and self.separator != ",":
            found.append(f"separated by {SEPARATORS[self.separator]}")
        if self.decimal not in (None, "."):
            found.append("with decimal commas")
        return ", ".join(found)


FOUND_OUT = Format()
"""Nothing is stated."""


class Opened(NamedTuple):
    """A text file as UTF-8, and the file on disk behind it."""

    text: Any
    raw: BinaryIO


def kind_of(path: Path) -> str:
    """Return "parquet", "sheet" or "text", by a file's name; raise if it is neither."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".parquet"]:
        return "parquet"
    if suffixes[-1:] == [".xlsx"]:
        return "sheet"
    if suffixes and suffixes[-1] in COMPRESSION:
        suffixes.pop()
    if suffixes[-1:] and suffixes[-1] in TEXT:
        return "text"
    raise ValueError(
        "A table must be a file ending in .csv, .tsv or .txt, these also with .gz or "
        f".zst, or in .parquet or .xlsx, got {path.name!r}. Rename or convert it."
    )


@contextmanager
def open_text(path: Path, encoding: str) -> Iterator[Opened]:
    """Open a text file, decompressed and as UTF-8."""
    with path.open("rb") as raw:
        text: Any = pa.PythonFile(raw, mode="r")
        kind = COMPRESSION.get(path.suffix.lower())
        if kind:
            text = pa.CompressedInputStream(text, kind)
        if encoding != "utf-8":
            text = pa.transcoding_input_stream(text, encoding, "utf-8")
        yield Opened(text, raw)


def recognised(path: Path, stated: Format = FOUND_OUT) -> Format:
    """Return the format of a text file, with whatever is not stated found out."""
    encoding = _checked(stated.encoding) if stated.encoding else _encoding(path)
    found = replace(stated, encoding=encoding)
    if found.separator and found.decimal:
        return found
    with open_text(path, encoding) as opened:
        start = opened.text.read(SAMPLE_BYTES).decode("utf-8", "replace")
    lines = re.split(r"\r\n|\r|\n", start.lstrip("\ufeff\r\n"))
    if len(lines) > 1 and len(start) >= SAMPLE_BYTES // 4:
        lines.pop()  # it may have been cut
    separator = found.separator or _separator(lines)
    decimal = found.decimal or _decimal(lines, separator)
    return replace(found, separator=separator, decimal=decimal)


def _checked(encoding: str) -> str:
    try:
        codecs.lookup(encoding)
        "".encode(encoding)
    except (LookupError, ValueError):
        raise ValueError(
            f"--encoding must be one that Python knows, got {encoding!r}. Try utf-16, "
            "latin-1 or cp1252."
        ) from None
    plain = encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig")
    return "utf-8" if plain else encoding


def _encoding(path: Path) -> str:
    with open_text(path, "utf-8") as opened:
        start = opened.text.read(4)
    return next((name for bom, name in BOMS.items() if start.startswith(bom)), "utf-8")


def _separator(lines: list[str]) -> str:
    """Return what cuts every line into as many cells as the first, the most of them."""
    best, most = ",", 1
    for separator in SEPARATORS:
        if not lines or separator not in lines[0]:
            continue
        rows = _cells(lines, separator)
        counts = {len(row) for row in rows if row}
        if len(counts) == 1 and max(counts) > most:
            best, most = separator, max(counts)
    return best


def _decimal(lines: list[str], separator: str) -> str:
    """Return the decimal mark that more columns show."""
    points, commas, open_ = set(), set(), set()
    for row in _cells(lines[1:], separator):
        for column, cell in enumerate(row[:MOST_NAMES]):
            text = cell.strip()
            if WITH_POINT.fullmatch(text):
                points.add(column)
            elif WITH_COMMA.fullmatch(text):
                commas.add(column)
            elif EITHER.fullmatch(text):
                open_.add(column)
    if len(points) != len(commas):
        return "." if len(points) > len(commas) else ","
    # Files have semicolons because commas are taken.
    return "," if separator == ";" and (points or open_) else "."


def _cells(lines: list[str], separator: str) -> list[list[str]]:
    try:
        return list(reader(lines, delimiter=separator))
    except Error:
        return []
