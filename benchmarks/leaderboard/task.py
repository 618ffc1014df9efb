"""What a task is: rows to learn from, familiar rows and shifted ones to judge by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antireg.paper.data.split import Rows, Split

Array = NDArray[Any]

MOST_TRAIN = 1500
MOST_JUDGED = 500
"""Rows that are used; of more, so many are drawn."""


@dataclass(frozen=True)
class Task:
    """Rows that are known, and rows that are not as they were.

    Attributes:
        load: From a seed to a split with one kind of OOD rows. There need be no
            validation rows; if there are, they join the training rows.
        source: Where the rows come from.
        licence: Of the rows.
        shift: Which rows are shifted, in words.
        kind: Of shift: gap, range, time, place, group, camera or picture.
        classes: Whether targets are classes; their shifted rows have none.
        development: Whether doubt was designed by looking at its shifted rows.
    """

    load: Callable[[int], Split]
    source: str
    licence: str
    shift: str
    kind: str
    classes: bool = False
    development: bool = False


@dataclass(frozen=True, eq=False)
class Known:
    """All that a method may see.

    Attributes:
        x: Inputs of mean 0 and standard deviation 1, (rows, features).
        y: Targets of mean 0 and standard deviation 1, or classes from 0, (rows,).
        n_classes: How many classes there are; 0 for numbers.
        groups: Which rows belong together, (rows,), if new groups will come.
    """

    x: Array
    y: Array
    n_classes: int = 0
    groups: Array | None = None


@dataclass(frozen=True, eq=False)
class Judged:
    """A task, ready: what a method sees, and what it is judged by."""

    known: Known
    familiar: Rows
    shifted: Rows


def judged(task: Task, seed: int) -> Judged:
    """Return a task with few enough rows, scaled by those to learn from.

    Args:
        task: The task.
        seed: Of its split, and of the rows that are drawn.
    """
    split, rng = task.load(seed), np.random.default_rng(seed)
    (shifted,) = split.ood.values()
    x, y, groups = _known(split)
    some = np.sort(rng.permutation(len(x))[:MOST_TRAIN])
    x, y = x[some], y[some]
    centre, scale = x.mean(axis=0), x.std(axis=0)
    # Rounding leaves a constant column a spread that must not be divided by.
    scale = np.where(scale > 1e-6 * np.abs(centre) + 1e-12, scale, 1.0)

    def scaled(rows: Rows) -> Array:
        return (np.asarray(rows.x, np.float64) - centre) / scale

    def drawn(rows: Rows) -> Rows:
        return rows[np.sort(rng.permutation(len(rows))[:MOST_JUDGED])]

    familiar, shifted = drawn(split.test), drawn(shifted)
    answers: list[Array | None]
    if task.classes:
        names, y = np.unique(y, return_inverse=True)
        answers = [np.searchsorted(names, _targets(familiar)), None]
        n_classes = len(names)
    else:
        mean, spread = y.mean(), y.std() or 1.0
        answers = [(_targets(rows) - mean) / spread for rows in (familiar, shifted)]
        y, n_classes = (y - mean) / spread, 0
    known = Known(
        (x - centre) / scale, y, n_classes, None if groups is None else groups[some]
    )
    rows = zip((familiar, shifted), answers, strict=True)
    return Judged(known, *(Rows(scaled(part), answer) for part, answer in rows))


def components(split: Split, number: int = 64) -> Split:
    """Return a split by its first principal components of the training rows."""
    x = np.asarray(split.train.x, np.float64)
    some = x[np.linspace(0, len(x) - 1, min(len(x), 2000)).astype(int)]
    centre = some.mean(axis=0)
    _, _, directions = np.linalg.svd(some - centre, full_matrices=False)
    onto = directions[:number].T

    def seen(rows: Rows) -> Rows:
        return Rows((rows.x - centre) @ onto, rows.y)

    ood = {name: seen(rows) for name, rows in split.ood.items()}
    parts = (seen(rows) for rows in (split.train, split.validation, split.test))
    return Split(split.name, *parts, ood, split.groups)


def _known(split: Split) -> tuple[Array, Array, Array | None]:
    """Return inputs, targets and groups of all rows that are no test rows."""
    if split.groups is not None and len(split.validation):
        raise ValueError(
            f"groups of {split.name} must be of all known rows, got validation rows "
            "beside them. Leave these empty."
        )
    parts = [split.train, *([split.validation] if len(split.validation) else [])]
    x = np.concatenate([np.asarray(rows.x, np.float64) for rows in parts])
    return x, np.concatenate([_targets(rows) for rows in parts]), split.groups


def _targets(rows: Rows) -> Array:
    assert rows.y is not None
    return np.ravel(rows.y)
