"""What the commands read: stored models, and rows with their targets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from antireg.estimators import EnsembleClassifier, EnsembleRegressor, saving
from antireg.estimators.saving import StoredModel
from antireg.predictive.values import Array
from antireg.rows.stored import stored_rows
from antireg.storage.fields import Fields
from antireg.storage.model_folder import damaged
from antireg.tables import (
    Encoding,
    RowStore,
    column_names,
    stream_table,
    target_values,
)
from antireg.tables.names import listing

Say = Callable[[str], None]

MOST_CLASSES = 10
"""A target with at most this many different whole numbers is read as classes."""

MOST_BYTES = 2**28
"""Most bytes of validation rows to measure a model on, if rows are on disk."""

TASKS = {"regression": EnsembleRegressor, "classification": EnsembleClassifier}


def open_model(path: Path) -> tuple[StoredModel, Encoding]:
    """Return a stored model and how tables become its inputs."""
    stored = saving.read(path)
    if stored.table is None:
        raise ValueError(
            f"The model in {str(path)!r} must come from `antireg fit` to be used on "
            "tables, got one saved in Python. Use antireg.load(path) there."
        )
    encoding = Encoding.from_description(Fields(path, stored.table, "table."))
    if len(encoding.features) != stored.model.n_features_in_:
        raise damaged(path, "table does not have the features of the model")
    return stored, encoding


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
    inputs = RowStore(folder)
    words, targets, n_dropped = [], [], 0
    for batch in batches:
        known = batch.filter(batch.column(encoding.target).is_valid())
        n_dropped += batch.num_rows - known.num_rows
        X, unseen = encoding.encode(known)
        inputs.add(X)
        words += unseen
        values = known.column(encoding.target)
        targets.append(target_values(values, encoding.target_kind))
    if n_dropped:
        say(f"Left out {n_dropped} rows without a value of {encoding.target!r}.")
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
    path: Path, encoding: Encoding, say: Say
) -> tuple[Array, list[str], NDArray[Any]]:
    """Return the rows of a file that includes the target."""
    kinds = {"numeric": pa.float64(), "boolean": pa.bool_()}
    target = {encoding.target: kinds.get(encoding.target_kind, pa.string())}
    pieces = stream_table(path, encoding.types | target)
    say_extra(path, encoding, [], say)
    return encoded_rows((piece.rows for piece in pieces), encoding, say)


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


def kept_columns(asked: list[str], path: Path) -> list[str]:
    """Return the columns to copy; "all" alone means every one."""
    return column_names(path) if asked == ["all"] else asked


def say_extra(path: Path, encoding: Encoding, also: list[str], say: Say) -> None:
    """Say which columns of a file are not used."""
    known = {encoding.target, *encoding.types, *also}
    extra = [name for name in column_names(path) if name not in known]
    if extra:
        say(f"Ignored the columns {listing(extra)}: not in training.")
