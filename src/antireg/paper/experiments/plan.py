"""Which fits are missing, and which settings were chosen: searches replayed from rows.

A search (`Method.run`) asks for one fit after another. Here every answer is read from
the rows; the first one that is missing is the next fit to do. If none is missing, the
search has ended, and the rows say which settings it chose.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch

from antireg.history import History
from antireg.methods import Fit, Method
from antireg.methods.base import DivergedError, Train
from antireg.paper.experiments.rows import Book, Record
from antireg.paper.experiments.study import Contender, Job, Recipe, Study


class Cell(NamedTuple):
    """One contender, one recipe, one seed: a cell of a table."""

    recipe: Recipe
    contender: Contender
    seed: int


def cells(
    studies: Iterable[Study], n_seeds: int, methods: Iterable[str] | None = None
) -> list[Cell]:
    """Return what the studies compare, each once.

    Args:
        studies: What to run.
        n_seeds: Seeds of each, from 0.
        methods: Names in `METHODS` to keep; all of them if None.
    """
    kept = None if methods is None else set(methods)
    found = {}
    for study in studies:
        for seed in range(min(n_seeds, study.most_seeds)):
            for contender in study.contenders:
                cell = Cell(study.recipe, contender, seed)
                job = Job(study.recipe, contender.method, contender.loss, seed)
                if kept is None or job.key.method in kept:
                    found[job.key] = cell
    return list(found.values())


def next_job(cell: Cell, book: Book) -> Job | None:
    """Return the next fit the cell needs, or None if it has all."""
    try:
        _replay(cell, book)
    except _MissingError as missing:
        return missing.job
    except DivergedError:
        return None
    return None


def chosen(cell: Cell, book: Book) -> tuple[Job, Record] | None:
    """Return the fit that represents the cell, if it has been done.

    A contender has none if all its candidates diverged.
    """
    try:
        method = _replay(cell, book)
    except (_MissingError, DivergedError):
        return None
    job = Job(cell.recipe, method, cell.contender.loss, cell.seed)
    record = book.get(job.key)
    return None if record is None else (job, record)


def jobs(waiting: Iterable[Cell], book: Book) -> Iterator[Job]:
    """Return the fits that can be done now, each once."""
    seen = set()
    for cell in waiting:
        job = next_job(cell, book)
        if job is not None and job.key not in seen:
            seen.add(job.key)
            yield job


class _MissingError(Exception):
    """A fit that the rows do not have."""

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self.job = job


def _replay(cell: Cell, book: Book) -> Method:
    """Return the method as it was chosen; settings are searched on the first seed."""
    recipe, contender, seed = cell

    def train_at(seed: int) -> Train:
        return _Recorded(recipe, contender.loss, seed, book)

    if recipe.whole:
        return train_at(seed)(contender.method).method
    if contender.searched and seed:
        found = contender.method.run(train_at(0))
        return train_at(seed)(found.method).method
    return contender.method.run(train_at(seed)).method


@dataclass(frozen=True)
class _Recorded:
    """Answers what a search asks for from the rows of one seed."""

    recipe: Recipe
    loss: str
    seed: int
    book: Book

    def __call__(self, method: Method, ahead: Sequence[Method] = ()) -> Fit:
        return _recorded(Job(self.recipe, method, self.loss, self.seed), self.book)

    def continuing(self, fit: Fit, epochs: float, lr: float = 1.0) -> Train:
        return self  # the settings of the method say where it starts


def _recorded(job: Job, book: Book) -> Fit:
    """Return what a search needs to know about a fit."""
    record = book.get(job.key)
    if record is None:
        raise _MissingError(job)
    if record["diverged"]:
        raise DivergedError(f"{job.key} diverged.")
    loss = np.array([[record["validation_loss"]]])
    history = History(loss, loss, loss, loss, np.array([1]), record.seconds)
    return Fit(job.method, torch.empty(0), history, record["ensemble_loss"])
