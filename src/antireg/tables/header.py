"""The column names of a text file, without reading its rows.

A table reader would infer the type of each column, which takes seconds when there are
very many.
"""

from __future__ import annotations

import re
from csv import Error, reader
from pathlib import Path

import pyarrow as pa

from antireg.tables.formats import Format, open_text

LARGEST_HEADER = 2**24
"""Most bytes that the header line may have."""


def csv_header(path: Path, layout: Format) -> list[str]:
    """Return the cells of a text file's first line, without reading its rows."""
    n_bytes = 2**16
    with open_text(path, layout.encoding or "utf-8") as opened:
        start = opened.text.read(n_bytes).lstrip(b"\r\n")
        while not re.search(rb"[\r\n]", start) and (more := opened.text.read(n_bytes)):
            start = (start + more).lstrip(b"\r\n")
            n_bytes *= 2
            if len(start) > LARGEST_HEADER:
                raise pa.ArrowInvalid(f"a first line over {LARGEST_HEADER} bytes")
    line = re.split(rb"[\r\n]", start, maxsplit=1)[0].decode("utf-8-sig")
    if not line:
        raise pa.ArrowInvalid("an empty file")
    try:
        return next(reader([line], delimiter=layout.separator or ",", strict=True))
    except Error as error:
        raise pa.ArrowInvalid(f"a first line that is not CSV ({error})") from error
