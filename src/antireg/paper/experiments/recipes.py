"""Every experiment of the paper: tasks, settings and contenders."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Literal

from antireg.estimators import EnsembleClassifier, EnsembleRegressor
from antireg.methods import (
    DARE,
    MOD,
    AnchorNet,
    DeepEnsemble,
    NegativeCorrelation,
    Repulsive,
)
from antireg.paper.data import toys
from antireg.paper.data.citycam_splits import citycam
from antireg.paper.data.images import cifar10_features, cifar10_seen, fashion_mnist
from antireg.paper.data.uci_tables import NAMES as UCI
from antireg.paper.data.uci_tables import uci_gap
from antireg.paper.experiments import (
    doubt_recipes,
    filling_recipes,
    measures,
    pictures,
)
from antireg.paper.experiments.study import PLAIN, RAW, Contender, Recipe, Study

DELTAS = (0.0, 0.25, 0.5, 1.0)
"""Values of δ: that of the tables, and others around it."""

TOY = {**RAW, "n_members": 20, "batch_size": 32}


def _rivals(loss: str) -> tuple[Contender, ...]:
    return (
        Contender("DE (NLL)", DeepEnsemble(), loss),
        Contender("AnchorNet", AnchorNet(), loss, searched=True),
        Contender("MOD", MOD(), loss, searched=True),
        Contender("NegCorr", NegativeCorrelation(), loss, searched=True),
        Contender("RDE", Repulsive(), loss),
    )


REGRESSION = (*_rivals("gaussian_nll"), Contender("DARE", DARE(), "gaussian_nll"))
CLASSIFICATION = (
    *_rivals("cross_entropy"),
    Contender("DE (MSE)", DeepEnsemble(), "squared_error"),
    Contender("DARE", DARE(), "squared_error"),
)
GAPS = (REGRESSION[0], REGRESSION[4], REGRESSION[5])


def deep_ensembles_and_dare(
    loss: str, threshold: float | Literal["auto"]
) -> tuple[Contender, ...]:
    """Return the three ensembles that are drawn side by side.

    Args:
        loss: A likelihood; DARE fits classes by squared error, as in the paper.
        threshold: DARE's τ.
    """
    return (
        Contender("DE (NLL)", DeepEnsemble(), loss),
        Contender("DE (MSE)", DeepEnsemble(), "squared_error"),
        Contender(
            "DARE",
            DARE(threshold=threshold),
            "squared_error" if loss == "cross_entropy" else loss,
        ),
    )


def _citycam(task: str, epochs: int, cost: float) -> Recipe:
    return Recipe(
        f"citycam-{task}",
        partial(citycam, task),
        EnsembleRegressor,
        {**RAW, "epochs": epochs},
        measures.regression,
        cost,
    )


TWO_MOONS = Recipe(
    "two-moons",
    toys.two_moons,
    EnsembleClassifier,
    {**TOY, "epochs": 500},
    pictures.plane,
    cost=10,
)
ONE_DIMENSIONAL = Recipe(
    "one-dimensional",
    toys.one_dimensional,
    EnsembleRegressor,
    {**TOY, "epochs": 1000},
    pictures.line,
    cost=12,
)
WATER, STILL_WATER = (
    Recipe(
        name,
        partial(toys.linear, matters),
        EnsembleRegressor,
        {**RAW, "n_members": 200, "hidden": (), "epochs": 200},
        pictures.filling,
        cost=5,
    )
    for name, matters in (("water-filling", True), ("still-water-filling", False))
)
CAMERAS = _citycam("cameras", 100, 100)
SAME_CAMERAS = _citycam("same-cameras", 100, 100)
"""Shows how much of the spread over seeds comes from drawing the cameras."""
BIGBUS = _citycam("bigbus", 100, 80)
WEATHER = _citycam("weather", 200, 35)
FASHION = Recipe(
    "fashion-mnist",
    fashion_mnist,
    EnsembleClassifier,
    {**RAW, "epochs": 50},
    measures.classification,
    cost=85,
)
CIFAR = Recipe(
    "cifar10",
    cifar10_features,
    EnsembleClassifier,
    {**RAW, "epochs": 50},
    measures.classification,
    cost=40,
)
SEEN = replace(CIFAR, name="cifar10-seen", load=cifar10_seen)
"""Shows why CIFAR-10 must not be validated on pictures the feature network saw."""
CITYCAM = (WEATHER, CAMERAS, BIGBUS)


TRAINING = replace(WEATHER, name="training", measure=pictures.training)


def _gap(name: str) -> Recipe:
    return Recipe(
        f"uci-gap-{name}",
        partial(uci_gap, name),
        EnsembleRegressor,
        PLAIN,
        measures.regression,
        cost=12,
    )


def _dare(delta: float) -> Contender:
    return Contender(f"DARE δ={delta:g}", DARE(delta=delta), "gaussian_nll")


MOONS_LINES = deep_ensembles_and_dare("cross_entropy", threshold=0.001)
BAND_LINES = deep_ensembles_and_dare("gaussian_nll", threshold=0.1)
WATER_LINES = (Contender("DARE", DARE(threshold=1.01), "squared_error"),)
LAMBDAS = (
    Contender("λ = 0", DeepEnsemble(), "gaussian_nll"),
    Contender("λ = 1", DARE(threshold=math.inf), "gaussian_nll"),
    Contender("controlled λ", DARE(), "gaussian_nll"),
)

GROUPS: dict[str, tuple[Study, ...]] = {
    "toys": (
        Study("two-moons", TWO_MOONS, MOONS_LINES, most_seeds=1),
        Study("one-dimensional", ONE_DIMENSIONAL, BAND_LINES, most_seeds=1),
        Study("water-filling", WATER, WATER_LINES, most_seeds=1),
        Study("still-water-filling", STILL_WATER, WATER_LINES, most_seeds=1),
    ),
    "citycam": (
        *(Study(r.name, r, REGRESSION) for r in CITYCAM),
        Study(SAME_CAMERAS.name, SAME_CAMERAS, (REGRESSION[0], REGRESSION[-1])),
    ),
    "images": (
        *(Study(r.name, r, CLASSIFICATION) for r in (CIFAR, FASHION)),
        Study("cifar10-seen", SEEN, CLASSIFICATION[-2:], most_seeds=1),
    ),
    "uci-gaps": tuple(Study(r.name, r, GAPS) for r in map(_gap, UCI)),
    "lambda": (Study("lambda", TRAINING, LAMBDAS, most_seeds=1),),
    "delta": tuple(
        Study(f"delta-{r.name}", r, (REGRESSION[0], *map(_dare, DELTAS)), most_seeds=1)
        for r in CITYCAM
    ),
    **doubt_recipes.GROUPS,
    **filling_recipes.GROUPS,
}


def named(names: Iterable[str]) -> list[Study]:
    """Return the studies of these names: groups, single studies, or all."""
    groups = dict(GROUPS)
    groups |= {study.name: (study,) for part in GROUPS.values() for study in part}
    groups["all"] = tuple(study for part in GROUPS.values() for study in part)
    found: list[Study] = []
    for name in names:
        if name not in groups:
            raise ValueError(f"NAME must be one of {', '.join(groups)}, got {name!r}.")
        found += groups[name]
    return list(dict.fromkeys(found))
