"""What the demo trains, and what it measures on each trained ensemble."""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from antireg import metrics
from antireg.estimators import EnsembleClassifier, EnsembleRegressor
from antireg.methods import DARE, DeepEnsemble
from antireg.paper.data import Rows, Split, one_dimensional, two_moons
from antireg.paper.data.toys import truth
from antireg.paper.experiments.measures import known
from antireg.paper.experiments.pictures import REACH, is_far, unsure

Model = EnsembleClassifier | EnsembleRegressor

UNSEEN = (8, 9)
"""The digits no ensemble is trained on: the last two, not the easiest two."""


@dataclass(frozen=True)
class Recipe:
    """One training: which problem, what the method is called there, and its settings.

    Args:
        problem: A key of `PROBLEMS`.
        method: Its name on the page.
        model: Not trained yet.
    """

    problem: str
    method: str
    model: Model


@dataclass(frozen=True)
class Outcome:
    """What one training came to.

    Args:
        recipe: How it was made.
        numbers: By name; each is a row of numbers.csv.
        drawing: What its pictures are drawn from, by name.
        advice: What the training had to say about itself.
    """

    recipe: Recipe
    numbers: dict[str, float]
    drawing: dict[str, Any]
    advice: list[str]


def recipes() -> list[Recipe]:
    """Return all trainings, in the order of the page."""
    toy: dict[str, Any] = {"n_members": 20, "batch_size": 32, "scaling": "none"}
    toy["robust"] = False  # the paper's own
    moons = EnsembleClassifier(**toy, epochs=500)
    line = EnsembleRegressor(**toy, epochs=500)
    longer = clone(line).set_params(epochs=1000)
    return [
        *_three("two_moons", moons, DARE(threshold=0.001)),
        *_three("one_dimensional", line, DARE(threshold=0.1)),
        *_three("one_dimensional_longer", longer, DARE(threshold=0.1)),
        *_three("digits", EnsembleClassifier(), DARE()),
    ]


def _three(problem: str, model: Model, dare: DARE) -> list[Recipe]:
    """Return the same settings with each method."""
    by_method: dict[str, dict[str, Any]] = {
        "DE (NLL)": {"method": DeepEnsemble()},
        "DE (MSE)": {"method": DeepEnsemble(), "loss": "squared_error"},
        "DARE": {"method": dare},
    }
    return [
        Recipe(problem, method, clone(model).set_params(**settings))
        for method, settings in by_method.items()
    ]


def run_all(recipes: Sequence[Recipe], seed: int) -> Iterator[tuple[int, Outcome]]:
    """Train side by side, and return each recipe's number and outcome as it comes.

    One thread each in two processes beats two threads in one: the matrices are small.
    """
    pool = ProcessPoolExecutor(
        max_workers=2,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=torch.set_num_threads,
        initargs=(1,),
    )
    with pool:
        # The longest trainings come last on the page and should not be left for last.
        waiting = {
            pool.submit(run, recipes[number], seed): number
            for number in reversed(range(len(recipes)))
        }
        for done in as_completed(waiting):
            yield waiting[done], done.result()


def run(recipe: Recipe, seed: int) -> Outcome:
    """Train one ensemble and measure it."""
    load, measure = PROBLEMS[recipe.problem]
    split = load(seed)
    model = clone(recipe.model).set_params(random_state=seed)
    held_out = (split.validation.x, split.validation.y) if split.validation else None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(split.train.x, split.train.y, validation_data=held_out)
        numbers, drawing = measure(model, split)
    advice = list(dict.fromkeys(str(warning.message) for warning in caught))
    return Outcome(recipe, numbers, drawing, advice)


def digits(seed: int) -> Split:
    """Return scikit-learn's digits; those of `UNSEEN` are out of distribution.

    There are no validation rows: the ensembles hold out their own, as by default.
    """
    x, y = load_digits(return_X_y=True)
    unseen = np.isin(y, UNSEEN)
    familiar = Rows(x[~unseen], y[~unseen])
    rows = np.arange(len(familiar))
    train, test = train_test_split(
        rows, test_size=0.3, stratify=familiar.y, random_state=seed
    )
    ood = {"unseen digits": Rows(x[unseen], y[unseen])}
    return Split("digits", familiar[train], familiar[:0], familiar[test], ood)


def measure_plane(
    model: EnsembleClassifier, split: Split
) -> tuple[dict[str, float], dict[str, Any]]:
    """Return how two-moons went, on fresh points and over the plane around them."""
    side = np.linspace(-REACH, REACH, 201)
    plane = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    far = is_far(plane, split)
    score = model.ood_score(plane)
    flagged = model.detector().flag(score)
    numbers = {
        "auroc_far": metrics.auroc(model.ood_score(split.validation.x), score[far]),
        "flagged_far": float(flagged[far].mean()),
        "false_alarms": float(model.is_ood(split.test.x).mean()),
        "accuracy": float(model.score(split.test.x, split.test.y)),
    }
    drawing = {
        "unsure": np.minimum(unsure(model, score), 1).reshape(side.size, side.size),
        "flagged": flagged.reshape(side.size, side.size),
        "points": split.train.x,
        "labels": split.train.y,
    }
    return numbers, drawing


def measure_line(
    model: EnsembleRegressor, split: Split
) -> tuple[dict[str, float], dict[str, Any]]:
    """Return how the curve is covered on [−1.5, 1.5], and at what width at the data."""
    x = np.linspace(-1.5, 1.5, 601)
    mean, std = model.predict(x[:, None], return_std=True)
    centre, spread = model.predict(split.test.x, return_std=True)
    numbers = {
        "coverage": metrics.coverage(truth(x), mean - 2 * std, mean + 2 * std),
        "median_std": float(np.median(std)),
        "median_std_at_data": float(np.median(spread)),
        "rmse": metrics.rmse(known(split.test), centre),
    }
    points = (split.train.x[:, 0], split.train.y)
    drawing = {"x": x, "mean": mean, "std": std, "truth": truth(x), "points": points}
    return numbers, drawing


def measure_digits(
    model: EnsembleClassifier, split: Split
) -> tuple[dict[str, float], dict[str, Any]]:
    """Return how well unseen digits are told from fresh ones of the known kinds."""
    unseen = split.ood["unseen digits"].x
    familiar, unfamiliar = model.ood_score(split.test.x), model.ood_score(unseen)
    numbers = {
        "accuracy": float(model.score(split.test.x, split.test.y)),
        "auroc": metrics.auroc(familiar, unfamiliar),
        "false_alarms": float(model.is_ood(split.test.x).mean()),
        "detected": float(model.is_ood(unseen).mean()),
    }
    limit = model.ood_threshold()
    drawing = {"familiar": familiar, "unfamiliar": unfamiliar, "limit": limit}
    return numbers, drawing


PROBLEMS: dict[str, tuple[Callable[[int], Split], Callable[..., Any]]] = {
    "two_moons": (two_moons, measure_plane),
    "one_dimensional": (one_dimensional, measure_line),
    "one_dimensional_longer": (one_dimensional, measure_line),
    "digits": (digits, measure_digits),
}
