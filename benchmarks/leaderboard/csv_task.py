"""A task of your own: a CSV with a column that names the shift."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from benchmarks.leaderboard.task import Task

from antireg.paper.data.split import Rows, Split, cut
from antireg.tables.files import column_names, read_table
from antireg.tables.learning import learn_encoding

TEST_SHARE = 0.1


def csv_task(
    path: Path, target: str, shift: str, known: str | None = None
) -> tuple[str, Task]:
    """Return the name of a task, that of the file, and the task.

    Args:
        path: The file, of any format that `antireg fit` reads.
        target: The column to predict; words are classes.
        shift: The column that names the shift. It is no input.
        known: Its value in rows to learn from; by default the most frequent one.
    """
    names = column_names(path)
    for option, column in (("--target", target), ("--shift", shift)):
        if column not in names:
            raise SystemExit(
                f"{option} must be a column of {path.name}, one of "
                f"{', '.join(names)}, got {column!r}."
            )
    labels = _labels(path, shift)
    values, counts = np.unique(labels, return_counts=True)
    usual = str(values[counts.argmax()]) if known is None else known
    if usual not in values or len(values) < 2:
        raise SystemExit(
            f"--shift must have the value {usual!r} in some rows of {path.name} and "
            f"another in others, got {', '.join(map(str, values[:5]))}."
        )
    load = partial(_load, path, target, shift, usual)
    words = f"rows whose {shift} is not {usual}"
    classes = load(0).train.y.dtype.kind not in "fiu"  # type: ignore[union-attr]
    return path.stem, Task(load, path.name, "yours", words, "named", classes)


def _load(path: Path, target: str, shift: str, usual: str, seed: int) -> Split:
    names = [name for name in column_names(path) if name != shift]
    table, labels = read_table(path, names, ()), _labels(path, shift)
    known = np.flatnonzero(labels == usual)
    test, train = cut(len(known), [TEST_SHARE], np.random.default_rng(seed))
    places = (known[train], known[test], np.flatnonzero(labels != usual))
    encoding = learn_encoding(table.take(places[0]), target)
    rows = []
    for at in places:
        part = table.take(at).combine_chunks()
        inputs, _ = encoding.encode(part.to_batches()[0])
        rows.append(Rows(inputs, part[target].to_numpy()))
    return Split(path.stem, rows[0], rows[0][:0], rows[1], {"shifted": rows[2]})


def _labels(path: Path, shift: str) -> np.ndarray:
    """Return the column that names the shift, as text."""
    column = read_table(path, [shift], [shift])[shift]
    return np.array([str(value) for value in column.to_pylist()])
