"""What doubt is judged by: the tasks of the paper, and tables with shifts of their own.

Every fit is a whole one, as a user's is, and its members are measured without doubt
too, so what is compared was trained once. The defaults are those of the library; "raw"
is the paper's recipe with doubt on top.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from antireg.estimators import EnsembleClassifier, EnsembleRegressor
from antireg.methods import DARE, DeepEnsemble
from antireg.paper.data.citycam_splits import citycam, citycam_hours
from antireg.paper.data.images import cifar10_features, fashion_mnist
from antireg.paper.data.natural_tables import DEVELOPMENT, TABLES, natural
from antireg.paper.data.split import Rows, Split
from antireg.paper.data.uci_tables import NAMES as UCI
from antireg.paper.data.uci_tables import uci_gap
from antireg.paper.experiments import doubted
from antireg.paper.experiments.study import RAW, Contender, Measure, Recipe, Study

DEFAULTS = {"device": "cpu", "doubt": "rehearsed"}
WITH_DOUBT = {**RAW, "doubt": "rehearsed"}
REGRESSION = (
    Contender("doubt on DE", DeepEnsemble(), "gaussian_nll"),
    Contender("doubt on DARE", DARE(), "gaussian_nll"),
)
CLASSIFICATION = (
    Contender("doubt on DE", DeepEnsemble(), "cross_entropy"),
    Contender("doubt on DARE", DARE(), "squared_error"),
)
EPOCHS = {"weather": 200, "bigbus": 100, "same-cameras": 100, "cameras": 100}
"""The paper's, of each task of CityCam."""


def without_validation(load: Callable[[int], Split], seed: int) -> Split:
    """Return a split whose validation rows are trained on: `fit` holds out its own.

    Args:
        load: Returns the split of a seed.
        seed: Which.
    """
    split = load(seed)
    both = split.train, split.validation
    x, y = ([getattr(rows, name) for rows in both] for name in ("x", "y"))
    train = Rows(*(np.concatenate(parts) for parts in (x, y)))
    return replace(split, train=train, validation=train[:0])


def _study(
    name: str,
    load: Callable[[int], Split],
    measure: Measure,
    cost: float,
    settings: dict[str, Any] = DEFAULTS,
) -> Study:
    is_classes = measure is doubted.classification
    estimator = EnsembleClassifier if is_classes else EnsembleRegressor
    recipe = Recipe(name, load, estimator, settings, measure, cost, whole=True)
    return Study(name, recipe, CLASSIFICATION if is_classes else REGRESSION)


def _citycam(prefix: str, load: Callable[[str, int], Split]) -> tuple[Study, ...]:
    return tuple(
        _study(f"{prefix}-{task}", partial(load, task), doubted.regression, 100)
        for task in EPOCHS
    )


IMAGES = (("cifar10", cifar10_features), ("fashion-mnist", fashion_mnist))
GROUPS: dict[str, tuple[Study, ...]] = {
    "doubt-tables": tuple(
        _study(f"doubt-table-{name}", partial(natural, name), doubted.table, 15)
        for name in TABLES
    ),
    "doubt-uci": tuple(
        _study(
            f"doubt-uci-{name}",
            partial(without_validation, partial(uci_gap, name)),
            doubted.regression,
            15,
        )
        for name in UCI
    ),
    "doubt-images": tuple(
        _study(f"doubt-{name}", load, doubted.classification, 80)
        for name, load in IMAGES
    ),
    "doubt-citycam": _citycam("doubt", citycam),
    "doubt-raw": tuple(
        _study(
            f"doubt-raw-{task}",
            partial(citycam, task),
            doubted.regression,
            200,
            {**WITH_DOUBT, "epochs": epochs},
        )
        for task, epochs in EPOCHS.items()
    ),
    "doubt-raw-images": tuple(
        _study(
            f"doubt-raw-{name}",
            load,
            doubted.classification,
            150,
            {**WITH_DOUBT, "epochs": 50},
        )
        for name, load in IMAGES
    ),
    "doubt-hours": _citycam("doubt-hours", citycam_hours),
    "doubt-development": tuple(
        _study(f"doubt-table-{name}", partial(natural, name), doubted.table, 15)
        for name in DEVELOPMENT
    ),
}
"""In the order in which they are worth running."""
