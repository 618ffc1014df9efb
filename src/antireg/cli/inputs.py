"""What the commands read: stored models, and rows with their targets."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from antireg.cli.sources import Say, Source, say_extra
from antireg.estimators import EnsembleClassifier, EnsembleRegressor, saving
from antireg.estimators.saving import StoredModel
from antireg.predictive.values import Array
from antireg.rows.stored import stored_rows
from antireg.storage.model_folder import CHECKSUMS
from antireg.tables import Encoding, RowStore, stream_table, target_values
from antireg.tables.formats import FOUND_OUT, Format
from antireg.tables.names import counted, short
from antireg.tables.notation import BadCell
from antireg.tables.pieces import Piece

MOST_CLASSES = 10
"""A target with at most this many different whole numbers is read as classes."""

MOST_BYTES = 2**28
"""Most bytes of validation rows to measure a model on, if rows are on disk."""

TASKS = {"regression": EnsembleRegressor, "classification": EnsembleClassifier}


def open_model(path: Path) -> tuple[StoredModel, Encoding]:
    """Return a stored model and how tables become its inputs."""
    if not any((path / name).exists() for name in (CHECKSUMS, "model.json")):
        raise ValueError(
            f"There is no model in {str(path)!r}. Check the name, or make one: "
            f"antireg fit TABLE --target COLUMN --out {path}"
        )
    stored = saving.read(path)
    model = stored.model
    if model.encoder_ is None:
        raise ValueError(
            f"The model in {str(path)!r} must be fitted on a table, by `antireg fit` "
            "or in Python, got one fitted on an array. Use antireg.load(path) there."
        )
    if getattr(model, "n_targets_", 1) > 1:
        raise ValueError(
            f"The model in {str(path)!r} must have one target for commands, got "
            f"{model.n_targets_}. Use antireg.load(path) in Python."
        )
    # Commands give it numbers in the order of its columns, which need no names.
    vars(model).pop("feature_names_in_", None)
    return stored, model.encoder_.encoding_


def encoded_rows(
    batches: Iterable[pa.RecordBatch],
    encoding: Encoding,
    say: Say,
    folder: Path | None = None,
) -> tuple[Array, list[str], NDArray[Any]]:
    """Return inputs, what training never saw in them, and targets.

    Rows without a target are left out.

    Args:
        batches: The rows.
        encoding: How they are read.
        say: Called with a sentence on rows left out.
        folder: Where to put inputs too large for memory, as a memmap.
    """
    pieces = (Piece(batch, 0.0) for batch in batches)
    return _encoded_pieces(pieces, encoding, say, folder)


def _encoded_pieces(
    pieces: Iterable[Piece], encoding: Encoding, say: Say, folder: Path | None = None
) -> tuple[Array, list[str], NDArray[Any]]:
    inputs = RowStore(folder)
    words: list[str] = []
    targets, n_dropped = [], 0
    for piece in pieces:
        known = np.asarray(piece.rows.column(encoding.target).is_valid())
        n_dropped += int((~known).sum())
        X, strange = encoding.encode(piece.rows, _inputs_of(piece, encoding))
        inputs.add(X if known.all() else X[known])
        words += [word for word, kept in zip(strange, known, strict=True) if kept]
        values = piece.rows.column(encoding.target).filter(pa.array(known))
        targets.append(target_values(values, encoding.target_kind))
    if n_dropped:
        rows = counted(n_dropped, "row")
        say(f"Left out {rows} without a value of {encoding.target!r}.")
    if not words:
        raise ValueError(
            f"The table must have rows with a value of {encoding.target!r}, got none."
        )
    return inputs.all(), words, np.concatenate(targets)


def some_rows(
    X: Array, y: NDArray[Any], rows: NDArray[np.intp], say: Say
) -> tuple[Array, NDArray[Any]]:
    """Return these rows, or evenly spread ones among them if they need too much memory.

    Args:
        X: Inputs, in memory or on disk.
        y: Targets.
        rows: Indices of the rows, ascending.
        say: Called with a sentence if not all rows are returned.
    """
    stored = stored_rows(X)
    if stored is None:
        return X[rows], y[rows]
    most = max(1, MOST_BYTES // (8 * X.shape[1]))
    if len(rows) > most:
        say(f"Measured the model on {most} of {len(rows)} validation rows.")
        rows = rows[np.linspace(0, len(rows) - 1, most).astype(np.intp)]
    chosen = np.zeros(len(X), dtype=bool)
    chosen[rows] = True
    return stored[chosen][:], y[rows]


def labelled_rows(
    path: Path, encoding: Encoding, say: Say, stated: Format = FOUND_OUT
) -> tuple[Array, list[str], NDArray[Any]]:
    """Return the rows of a file that includes the target."""
    source = Source(path, stated)
    types = encoding.types | {encoding.target: encoding.target_type}
    pieces = stream_encoded(source, types, encoding)
    say_extra(source, encoding, [], say)
    return _encoded_pieces(_counted_bad(pieces, say), encoding, say)


def unlabelled_rows(
    source: Source, encoding: Encoding, say: Say
) -> tuple[Array, list[str]]:
    """Return the rows of a file whose targets are not asked for."""
    say_extra(source, encoding, [], say)
    inputs = RowStore(None)
    words: list[str] = []
    pieces = stream_encoded(source, encoding.types, encoding)
    for piece in _counted_bad(pieces, say):
        X, strange = encoding.encode(piece.rows, piece.bad)
        inputs.add(X)
        words += strange
    if not words:
        raise ValueError(f"{source.path.name!r} must have at least one row, got none.")
    return inputs.all(), words


def has_targets(source: Source, encoding: Encoding) -> bool:
    """Return whether a file has the target, in one row at least."""
    if encoding.target not in source.columns:
        return False
    types = {encoding.target: encoding.target_type}
    pieces = stream_table(source.path, types, stated=source.stated)
    return any(p.rows.num_rows > p.rows.column(0).null_count for p in pieces)


def stream_encoded(
    source: Source,
    types: Mapping[str, pa.DataType],
    encoding: Encoding,
    also: Collection[str] = (),
) -> Iterator[Piece]:
    """Yield the rows of a file as a model reads them."""
    return stream_table(
        source.path,
        types,
        also=also,
        notations=encoding.notations,
        values=encoding.words,
        stated=source.stated,
    )


def say_bad(n_rows: int, example: str, say: Say) -> None:
    """Say how many rows have cells that cannot be read, if any have."""
    if n_rows:
        have = "1 row has a cell" if n_rows == 1 else f"{n_rows:,} rows have cells"
        like = "" if n_rows == 1 else "such as "
        say(
            f"{have} that cannot be read, {like}{example}. Such cells count as "
            "missing, and their rows are flagged."
        )


def _counted_bad(pieces: Iterable[Piece], say: Say) -> Iterator[Piece]:
    """Yield the same pieces; at the end say how many rows have bad cells."""
    n_rows, example = 0, ""
    for piece in pieces:
        n_rows += len({cell.row for cell in piece.bad})
        example = example or bad_example(piece.bad, piece.start)
        yield piece
    say_bad(n_rows, example, say)


def bad_example(bad: Collection[BadCell], start: int) -> str:
    """Return the first of some bad cells in words, "" if there are none."""
    if not bad:
        return ""
    cell = min(bad)
    text = short(repr(cell.text), 60)
    return f"{text} in column {cell.column!r}, row {start + cell.row + 1:,}"


def _inputs_of(piece: Piece, encoding: Encoding) -> list[BadCell]:
    """Return the bad cells of a piece that are not of the target."""
    return [cell for cell in piece.bad if cell.column != encoding.target]


def choose_task(
    asked: str, encoding: Encoding, y: NDArray[Any], say: Say
) -> tuple[str, NDArray[Any]]:
    """Return which of `TASKS` it is, and the targets as it takes them."""
    numeric = encoding.target_kind == "numeric"
    whole = numeric and bool(np.all(np.isfinite(y) & (y == np.round(y))))
    few = whole and len(np.unique(y)) <= MOST_CLASSES
    if asked == "regression" and not numeric:
        raise ValueError(
            f"--task regression needs a target of numbers, got {encoding.target!r} of "
            f"{encoding.target_kind} values. Use --task classification."
        )
    if asked == "regression" or (asked == "auto" and numeric and not few):
        return "regression", y
    if asked == "auto" and few:
        say(
            f"{encoding.target!r} has {len(np.unique(y))} different whole numbers: "
            "read as classes. Use --task regression if they are amounts."
        )
    return "classification", y.astype(np.int64) if whole else y
