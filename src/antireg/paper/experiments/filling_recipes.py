"""What the paper leaves as future work: noise around trained members, beside DARE.

Deep ensembles are trained once for each seed; what is made of them is compared with
the rows of the paper's recipes, whose settings these have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from antireg import metrics
from antireg.estimators import EnsembleClassifier, EnsembleRegressor
from antireg.estimators.base import Ensemble
from antireg.methods import DARE, DeepEnsemble, MaxWEnt, WaterFilling
from antireg.paper.data.citycam_splits import citycam
from antireg.paper.data.convolutions import fashion_features
from antireg.paper.data.images import cifar10_features, fashion_mnist
from antireg.paper.data.split import Split
from antireg.paper.data.uci_tables import NAMES as UCI
from antireg.paper.data.uci_tables import uci_gap
from antireg.paper.experiments import doubted, measures
from antireg.paper.experiments.doubt_recipes import DEFAULTS, EPOCHS
from antireg.paper.experiments.rows import Value
from antireg.paper.experiments.study import PLAIN, RAW, Contender, Recipe, Study

UNDER_DOUBT = ("weather", "bigbus", "same-cameras")
"""Tasks of CityCam whose rows `doubt_recipes` has of a deep ensemble with doubt."""


def _contenders(likelihood: str, dare: str) -> tuple[Contender, ...]:
    return (
        Contender("DE", DeepEnsemble(), likelihood),
        Contender("WaterFilling", WaterFilling(), likelihood),
        Contender("MaxWEnt", MaxWEnt(), likelihood),
        Contender("DARE from DE", DARE(start="reference"), dare),
    )


REGRESSION = _contenders("gaussian_nll", "gaussian_nll")
CLASSIFICATION = _contenders("cross_entropy", "squared_error")


def regression(model: EnsembleRegressor, split: Split) -> Iterator[Value]:
    """Yield what the paper's recipes do, and what all trainings took."""
    yield from measures.regression(model, split)
    yield from _more(model, split)


def classification(model: EnsembleClassifier, split: Split) -> Iterator[Value]:
    """Yield what the paper's recipes do, and what all trainings took."""
    yield from measures.classification(model, split)
    yield from _more(model, split)


def with_doubt(model: EnsembleClassifier, split: Split) -> Iterator[Value]:
    """Yield numbers with doubt and without, and what all trainings took."""
    yield from doubted.classification(model, split)
    yield from _more(model, split)


def _more(model: Ensemble, split: Split) -> Iterator[Value]:
    """Yield detection by disagreement alone, and the seconds of all trainings.

    A training that was read from a file counts with the time that it once took.
    """
    familiar = model.ood_score(split.test.x, "epistemic")
    for name, rows in split.ood.items():
        unfamiliar = model.ood_score(rows.x, "epistemic")
        yield Value(f"{name}_epistemic_auroc", metrics.auroc(familiar, unfamiliar))
    before = sum(history.seconds for _, history in model.trials_[:-1])
    yield Value("trained_seconds", before + model.history_.seconds)


def regression_with_doubt(model: EnsembleRegressor, split: Split) -> Iterator[Value]:
    """Yield numbers with doubt and without, and what all trainings took."""
    yield from doubted.regression(model, split)
    yield from _more(model, split)


def _study(
    name: str, load: Callable[[int], Split], settings: dict[str, Any], cost: float
) -> Study:
    recipe = Recipe(
        f"filling-{name}", load, EnsembleRegressor, settings, regression, cost, True
    )
    return Study(recipe.name, recipe, REGRESSION)


def _images(name: str, load: Callable[[int], Split], cost: float) -> Study:
    settings = {**RAW, "epochs": 50}
    recipe = Recipe(
        f"filling-{name}",
        load,
        EnsembleClassifier,
        settings,
        classification,
        cost,
        True,
    )
    return Study(recipe.name, recipe, CLASSIFICATION)


def _doubted(task: str) -> Study:
    """Return draws around members with doubt, as `doubt-<task>` has deep ensembles."""
    recipe = Recipe(
        f"doubt-filling-{task}",
        partial(citycam, task),
        EnsembleRegressor,
        DEFAULTS,
        regression_with_doubt,
        cost=100,
        whole=True,
    )
    drawn = Contender("doubt on WaterFilling", WaterFilling(), "gaussian_nll")
    return Study(recipe.name, recipe, (drawn,))


def _heads() -> Study:
    """Return heads on a convolutional network, each with doubt and without."""
    recipe = Recipe(
        "doubt-convolutions",
        fashion_features,
        EnsembleClassifier,
        DEFAULTS,
        with_doubt,
        cost=80,
        whole=True,
    )
    heads = (*CLASSIFICATION[:3], Contender("DARE", DARE(), "squared_error"))
    return Study(recipe.name, recipe, heads)


GROUPS: dict[str, tuple[Study, ...]] = {
    "filling-citycam": tuple(
        _study(task, partial(citycam, task), {**RAW, "epochs": epochs}, 100)
        for task, epochs in EPOCHS.items()
    ),
    "filling-images": (
        _images("cifar10", cifar10_features, 40),
        _images("fashion-mnist", fashion_mnist, 85),
    ),
    "doubt-filling": tuple(map(_doubted, UNDER_DOUBT)),
    "filling-convolutions": (_heads(),),
    "filling-uci": tuple(
        _study(f"uci-{name}", partial(uci_gap, name), PLAIN, 12) for name in UCI
    ),
}
"""In the order in which they are worth running."""
