"""Ceilings of an Excel file, checked by a quick look before anything is kept of it.

It is a zip of XML files, and may be a thousand times smaller than they are. An element
of four bytes takes hundreds in memory, until its row ends.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO
from xml.parsers import expat
from zipfile import ZipFile

MOST_BYTES = 2**31
"""Of all files in it together."""

MOST_ROWS = 2**20
"""As many as Excel has; and of different texts, which all sheets share."""

MOST_DEPTH = 32
MOST_ELEMENTS = 2**20
"""From a row to the next: 16,384 cells have some 50,000."""

MOST_ROW_BYTES = 2**26
PIECE = 2**16


MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main "
FORGOTTEN = {MAIN + "worksheet": MAIN + "row", MAIN + "sst": MAIN + "si"}
"""What is not kept once it is read, by the outermost element."""


def excess(path: Path) -> str | None:
    """Return what an Excel file has more of than can be read; None if it has not."""
    with ZipFile(path) as book:
        parts = book.infolist()
        if sum(part.file_size for part in parts) > MOST_BYTES:
            return f"more than {MOST_BYTES:,} bytes unpacked"
        for part in parts:
            with book.open(part) as stream:
                if found := Look().excess(stream):
                    return found
    return None


class Look:
    """Counts what one file of the zip holds, without keeping any of it."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.forgotten: str | None = None
        self.depth = self.n_rows = self.n_elements = self.n_bytes = 0

    def excess(self, stream: IO[bytes]) -> str | None:
        """Return what there is too much of, None if nothing."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        while piece := stream.read(PIECE):
            self.n_bytes += len(piece)
            try:
                parser.Parse(piece)
            except expat.ExpatError:
                return None  # it is no XML, and nobody reads on from here
            if found := self._found():
                return found
        return None

    def _found(self) -> str | None:
        if self.depth > MOST_DEPTH:
            return f"elements more than {MOST_DEPTH} deep"
        if self.n_rows > MOST_ROWS:
            return f"more than {MOST_ROWS:,} rows or different texts"
        if self.n_elements > MOST_ELEMENTS or self.n_bytes > MOST_ROW_BYTES:
            return "a row, or something else than rows, that is far too large"
        return None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self.depth:
            self.forgotten = FORGOTTEN.get(name)
        self.depth += 1
        self.n_elements += 1
        if name == self.forgotten:
            self.n_rows += 1
            self.n_elements = self.n_bytes = 0

    def _end(self, name: str) -> None:
        self.depth -= 1
