"""Ceilings of an Excel file, checked as it is read, before anything is kept of it.

It is a zip of XML files, and may be a thousand times smaller than they are. An element
of four bytes takes hundreds in memory, until its row ends.
"""

from __future__ import annotations

from typing import IO, Any
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


class TooLarge(Exception):
    """Says what an Excel file has more of than can be read."""


class Book(ZipFile):
    """An Excel file that stops whoever reads more of it than there is memory for.

    Parts that nobody reads, such as later sheets, may be as large as they like.
    """

    def __init__(self, file: IO[bytes]) -> None:
        """Look at the size of all."""
        super().__init__(file)
        if sum(part.file_size for part in self.infolist()) > MOST_BYTES:
            raise TooLarge(f"more than {MOST_BYTES:,} bytes unpacked")

    def open(self, *given: Any, **more: Any) -> Any:
        """Return a part to be read, under watch."""
        return Watched(super().open(*given, **more))


class Watched:
    """A part of an Excel file: what is read of it is looked at before it is given."""

    def __init__(self, stream: IO[bytes]) -> None:
        """Begin before its first byte."""
        self.stream, self.look = stream, Look()

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, all if the size is below 0."""
        if size >= 0:
            piece = self.stream.read(size)
            self.look.at(piece)
            return piece
        self.look.keeps_all = True
        return b"".join(iter(lambda: self.read(PIECE), b""))

    def close(self) -> None:
        """Close the part."""
        self.stream.close()

    def __enter__(self) -> Watched:
        """Return itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the part."""
        self.close()


class Look:
    """Counts what one part of the file holds, without keeping any of it."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.keeps_all = False
        self.forgotten: str | None = None
        self.depth = self.n_rows = self.n_elements = self.n_bytes = 0
        self.parser: expat.XMLParserType | None = expat.ParserCreate(
            namespace_separator=" "
        )
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end

    def at(self, piece: bytes) -> None:
        """Count what a piece holds, and stop whoever reads on if it is too much."""
        self.n_bytes += len(piece)
        try:
            if self.parser is not None:
                self.parser.Parse(piece)
        except expat.ExpatError:
            self.parser = None  # it is no XML; bytes are still counted
        if found := self._found():
            raise TooLarge(found)

    def _found(self) -> str | None:
        if self.depth > MOST_DEPTH:
            return f"elements more than {MOST_DEPTH} deep"
        if self.n_rows > MOST_ROWS:
            return f"more than {MOST_ROWS:,} rows or different texts"
        if self.n_elements > MOST_ELEMENTS or self.n_bytes > MOST_ROW_BYTES:
            return "a row, or something else than rows, that is far too large"
        return None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self.depth and not self.keeps_all:
            self.forgotten = FORGOTTEN.get(name)
        self.depth += 1
        self.n_elements += 1
        if name == self.forgotten:
            self.n_rows += 1
            self.n_elements = self.n_bytes = 0

    def _end(self, name: str) -> None:
        self.depth -= 1
