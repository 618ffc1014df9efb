"""The tables that a command names: how they are written, and their columns."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antireg.tables import Encoding, column_names, read_table
from antireg.tables.files import clear_errors, is_parquet
from antireg.tables.formats import FOUND_OUT, Format, recognised
from antireg.tables.names import columns, counted
from antireg.tables.sheets import PLAIN, as_text

Say = Callable[[str], None]


class Source(NamedTuple):
    """A file to read, and what is known of how it is written."""

    path: Path
    stated: Format = FOUND_OUT

    @property
    def columns(self) -> list[str]:
        """Names of its columns."""
        return column_names(self.path, self.stated)

    @property
    def notation(self) -> Format:
        """How it is written; plain if it is no text."""
        return PLAIN if is_parquet(self.path) else recognised(self.path, self.stated)


@contextmanager
def open_source(path: Path, args: argparse.Namespace, say: Say) -> Iterator[Source]:
    """Yield a table as a file that can be read; say what is not plain about it."""
    stated = Format(args.encoding, args.separator, args.decimal)
    with as_text(path, stated) as (file, known):
        if not is_parquet(file):
            with clear_errors(file):
                words = recognised(file, known).words
            if words:
                say(f"Read {path.name!r} as text {words}.")
        yield Source(file, known)


def named(asked: Collection[str], known: Collection[str]) -> list[str]:
    """Return names that were separated by commas, though names may have commas too.

    Args:
        asked: What stands between the commas.
        known: Names of columns; of those that begin alike, the longest is meant.
    """
    parts, found = list(asked), []
    while parts:
        ends = range(len(parts), 0, -1)
        end = next((end for end in ends if ",".join(parts[:end]) in known), 1)
        found.append(",".join(parts[:end]))
        parts = parts[end:]
    return found


def group_numbers(
    name: str, source: Source, targets: pa.ChunkedArray
) -> NDArray[np.integer]:
    """Return the number of the group of each row that has a target, (such rows,).

    They are numbered as `groups=` is in Python: in the order of numbers, or of words.

    Args:
        name: The column that says which rows belong together, by equal values.
        source: The file.
        targets: Its column of targets, (rows,).
    """
    cells = read_table(source.path, [name], [name], source.stated)[name]
    cells = cells.filter(pc.is_valid(targets)).combine_chunks()
    try:
        words = pc.utf8_trim_whitespace(cells.cast(pa.string()))
    except pa.ArrowException as error:
        raise ValueError(
            f"--groups must name a column of text, numbers or dates, got {name!r} of "
            f"type {cells.type}."
        ) from error
    gaps = pc.or_(pc.is_null(cells, nan_is_null=True), pc.equal(words, ""))
    n_gaps = pc.sum(gaps.fill_null(True)).as_py()
    if n_gaps:
        raise ValueError(
            f"--groups must name a column with a value in every row, got {name!r} with "
            f"{counted(n_gaps, 'gap')}. Fill them in, each with a label."
        )
    encoded = words.dictionary_encode()
    labels = encoded.dictionary.to_numpy(zero_copy_only=False)
    with suppress(ValueError):
        labels = labels.astype(np.float64)
    places = np.argsort(np.argsort(labels, kind="stable"))
    numbers: NDArray[np.integer] = places[np.asarray(encoded.indices)]
    return numbers


def kept_columns(asked: list[str], source: Source) -> list[str]:
    """Return the columns to copy; "all" alone means every one."""
    known = source.columns
    return known if asked == ["all"] else named(asked, known)


def say_extra(source: Source, encoding: Encoding, also: list[str], say: Say) -> None:
    """Say which columns of a file are not used."""
    known = {encoding.target, *encoding.types, *also}
    extra = [name for name in source.columns if name not in known]
    if extra:
        say(f"Ignored the {columns(extra)}: not used by the model.")
