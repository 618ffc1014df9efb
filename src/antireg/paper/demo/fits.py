"""What the demo trains: the small problems of the paper, and digits by default."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from antireg.estimators import EnsembleClassifier
from antireg.paper.data.split import Rows, Split
from antireg.paper.experiments import pictures, recipes
from antireg.paper.experiments.plan import Cell
from antireg.paper.experiments.rows import Record
from antireg.paper.experiments.runner import fitted, versions
from antireg.paper.experiments.study import Job, Recipe, Study
from antireg.parallel.processes import in_processes

MOONS, HALF, LONGER = "two-moons", "one-dimensional-half", "one-dimensional"
N_PROCESSES = 2
UNSEEN = (8, 9)
"""The digits no ensemble is trained on: the last two, not the easiest two."""


@dataclass(frozen=True)
class Outcome:
    """The result of one training.

    Attributes:
        problem: Name of its study.
        method: Name of the contender.
        record: The numbers on the page and in its pictures.
        advice: Warnings of the training.
    """

    problem: str
    method: str
    record: Record
    advice: list[str]


def digits(seed: int) -> Split:
    """Return scikit-learn's digits; those of `UNSEEN` are out of distribution.

    There are no validation rows: the ensembles hold out some of the training rows.
    """
    x, y = load_digits(return_X_y=True)
    unseen = np.isin(y, UNSEEN)
    familiar = Rows(x[~unseen], y[~unseen])
    rows = np.arange(len(familiar))
    train, test = train_test_split(
        rows, test_size=0.3, stratify=familiar.y, random_state=seed
    )
    ood = {"unseen": Rows(x[unseen], y[unseen])}
    return Split("digits", familiar[train], familiar[:0], familiar[test], ood)


DIGITS = Recipe("digits", digits, EnsembleClassifier, {}, pictures.scores, cost=10)


def studies() -> list[Study]:
    """Return what is compared, in the order of the page."""
    moons, longer = recipes.named([MOONS, LONGER])
    settings = {**longer.recipe.settings, "epochs": 500}
    half = replace(longer.recipe, name=HALF, settings=settings)
    on_digits = recipes.deep_ensembles_and_dare("cross_entropy", threshold="auto")
    return [
        moons,
        replace(longer, name=HALF, recipe=half),
        longer,
        Study("digits", DIGITS, on_digits),
    ]


def trainings(seed: int) -> list[Cell]:
    """Return all trainings, in the order of the page."""
    return [
        Cell(study.recipe, contender, seed)
        for study in studies()
        for contender in study.contenders
    ]


def run_all(cells: Sequence[Cell]) -> Iterator[tuple[int, Outcome]]:
    """Train in two processes; yield each cell's number and outcome when it is done.

    The matrices are small: two processes of one thread each are faster than one of two.
    """
    # The longest trainings are last on the page and should start first.
    numbered = list(enumerate(cells))[::-1]
    yield from in_processes(_run_numbered, numbered, N_PROCESSES)


def run(cell: Cell) -> Outcome:
    """Train one ensemble and measure it."""
    recipe, contender, seed = cell
    split = recipe.load(seed)
    started = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = fitted(Job(recipe, contender.method, contender.loss, seed), split)
        seconds = time.process_time() - started
        measured = recipe.measure(model, split)
        values = {(value.metric, value.at): float(value.value) for value in measured}
    advice = list(dict.fromkeys(str(warning.message) for warning in caught))
    record = Record(values, seconds, versions())
    return Outcome(recipe.name, contender.name, record, advice)


def _run_numbered(numbered: tuple[int, Cell]) -> tuple[int, Outcome]:
    number, cell = numbered
    return number, run(cell)
