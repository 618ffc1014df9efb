"""What the demo trains: small problems of the paper, digits, and patients by age."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.datasets import load_diabetes, load_digits
from sklearn.model_selection import train_test_split

from antireg.estimators import EnsembleClassifier, EnsembleRegressor
from antireg.methods import DeepEnsemble
from antireg.paper.data.split import Array, Rows, Split
from antireg.paper.experiments import pictures, recipes
from antireg.paper.experiments.plan import Cell
from antireg.paper.experiments.rows import Record
from antireg.paper.experiments.runner import fitted, versions
from antireg.paper.experiments.study import Contender, Job, Recipe, Study
from antireg.parallel.processes import in_processes

MOONS, LINE, DIGITS, PATIENTS = "two-moons", "one-dimensional", "digits", "diabetes"
N_PROCESSES = 2
UNSEEN = (8, 9)
"""The digits no ensemble is trained on: the last two, not the easiest two."""
OLDEST = 55
"""The age up to which patients are trained on: two thirds of them."""

DOUBT = Contender("doubt", DeepEnsemble(), "auto")
"""The library's default, as `EnsembleRegressor()` and `EnsembleClassifier()` are."""

TEST_SHARE = 0.3


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
    """Return scikit-learn's digits; those of `UNSEEN` are out of distribution."""
    x, y = load_digits(return_X_y=True)
    unseen = np.isin(y, UNSEEN)
    return _split(DIGITS, Rows(x, y), "unseen", unseen, seed, y[~unseen])


def patients(seed: int) -> Split:
    """Return scikit-learn's patients; those above `OLDEST` are out of distribution."""
    x, y = load_diabetes(return_X_y=True, scaled=False)
    return _split(PATIENTS, Rows(x, y), "older", x[:, 0] > OLDEST, seed)


def studies() -> list[Study]:
    """Return what is compared, in the order of the page."""
    moons, line = recipes.named([MOONS, LINE])
    plain = {"doubt": None}
    on_digits = Recipe(
        DIGITS, digits, EnsembleClassifier, plain, pictures.scores, cost=10
    )
    on_patients = Recipe(
        PATIENTS, patients, EnsembleRegressor, plain, pictures.intervals, cost=10
    )
    classes, values = (
        recipes.deep_ensembles_and_dare(loss, threshold="auto")
        for loss in ("cross_entropy", "gaussian_nll")
    )
    return [
        moons,
        line,
        Study(DIGITS, on_digits, classes),
        Study(PATIENTS, on_patients, values),
    ]


def trainings(seed: int) -> list[Cell]:
    """Return all trainings, in the order of the page; doubt has default settings."""
    return [
        Cell(recipe, contender, seed)
        for study in studies()
        for recipe, contender in (
            *((study.recipe, contender) for contender in study.contenders),
            (replace(study.recipe, settings={}), DOUBT),
        )
    ]


def run_all(cells: Sequence[Cell]) -> Iterator[tuple[int, Outcome]]:
    """Train in two processes; yield each cell's number and outcome when it is done.

    The matrices are small: two processes of one thread each are faster than one of two.
    """
    # The longest trainings should start first.
    numbered = sorted(enumerate(cells), key=lambda each: -each[1].recipe.cost)
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


def _split(
    name: str,
    rows: Rows,
    shift: str,
    shifted: Array,
    seed: int,
    classes: Array | None = None,
) -> Split:
    """Return rows with some of the familiar ones set aside as a test.

    There are no validation rows: the ensembles hold out some of the training rows.
    """
    familiar = rows[~shifted]
    train, test = train_test_split(
        np.arange(len(familiar)),
        test_size=TEST_SHARE,
        stratify=classes,
        random_state=seed,
    )
    ood = {shift: rows[shifted]}
    return Split(name, familiar[train], familiar[:0], familiar[test], ood)
