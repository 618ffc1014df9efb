"""What an experiment is, as data: the rows, the networks, the lines of its table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from antireg.estimators.base import Ensemble
from antireg.methods import METHODS, Method
from antireg.paper.data.split import Split
from antireg.paper.experiments.rows import Key, Value

Measure = Callable[[Ensemble, Split], Iterable[Value]]

PLAIN = {"doubt": None, "robust": False, "patience": None, "device": "cpu"}
"""As in the paper: the answer is a plain mean, after all epochs."""

RAW = {**PLAIN, "scaling": "none", "batch_size": 128}
"""As in the paper: inputs and targets are not scaled either."""


@dataclass(frozen=True, eq=False)
class Recipe:
    """One task, the same for every method.

    Attributes:
        name: In one word; also the name of the file with its rows.
        load: Returns the task's rows for a seed.
        estimator: What is trained.
        settings: Settings of the estimator, except method, loss and seed.
        measure: Returns the numbers of a trained ensemble.
        cost: Seconds of one core that a fit took on the machine behind `results/`.
        whole: Whether a fit finds the settings of its method itself, as those of users
            do. Fits of one seed then share on disk what they train alike.
    """

    name: str
    load: Callable[[int], Split]
    estimator: type[Ensemble]
    settings: Mapping[str, Any]
    measure: Measure
    cost: float
    whole: bool = False


@dataclass(frozen=True, eq=False)
class Contender:
    """A line of a table.

    Attributes:
        name: As it is shown.
        method: What is compared; settings that are "auto" are searched for.
        loss: What it fits, also in the reference and the candidates of a search.
        searched: Whether its settings take a search.
    """

    name: str
    method: Method
    loss: str
    searched: bool = False


@dataclass(frozen=True, eq=False)
class Study:
    """Contenders on one recipe, for some seeds: a column of a table, or a figure."""

    name: str
    recipe: Recipe
    contenders: tuple[Contender, ...]
    most_seeds: int = 1000


@dataclass(frozen=True, eq=False)
class Job:
    """One fit to do."""

    recipe: Recipe
    method: Method
    loss: str
    seed: int

    @property
    def key(self) -> Key:
        """The key of its rows."""
        names = {kind: name for name, kind in METHODS.items()}
        name = names[type(self.method)]
        return Key(self.recipe.name, name, self.loss, choice(self.method), self.seed)


def choice(method: Method) -> str:
    """Return the settings of a method as text; floats to the last bit.

    Words that are the default are left out: older rows are from before there were any.
    """
    assert is_dataclass(method) or not method.get_params()
    named = [
        field
        for field in (fields(method) if is_dataclass(method) else ())
        if field.name not in method.words
        or getattr(method, field.name) != field.default
    ]
    return " ".join(f"{f.name}={getattr(method, f.name)!r}" for f in named)
