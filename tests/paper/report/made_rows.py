"""Made-up rows, as if every fit had been done."""

import random
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from antireg.paper.experiments.detectors import NAMES as DETECTORS
from antireg.paper.experiments.plan import cells, jobs
from antireg.paper.experiments.printed import PRINTED
from antireg.paper.experiments.recipes import named
from antireg.paper.experiments.rows import Book, Value
from antireg.paper.experiments.study import Job

VERSIONS = "antireg 0, torch 0"
OUTSIDE = {
    "citycam-cameras": ["other_cameras"],
    "citycam-same-cameras": ["other_cameras"],
    "citycam-bigbus": ["bigbus"],
    "citycam-weather": ["after_14h"],
    "training": ["after_14h"],
    "cifar10": ["cifar100", "svhn"],
    "cifar10-seen": ["cifar100", "svhn"],
    "fashion-mnist": ["mnist", "cifar10"],
}
Along = dict[str, tuple[Iterable[object], np.ndarray]]
"""Places and values, by metric."""
ERRORS = (
    *("nll", "nll_cut", "ece", "mae", "coverage95", "constant_mae"),
    *("coverage90", "caught"),
)


def made_book(folder: Path, *names: str, seeds: int = 5) -> Book:
    """Return a folder of rows that hold every fit of these experiments."""
    book = Book(folder / "rows")
    wanted = cells(named(names or ("all",)), seeds)
    while ready := list(jobs(wanted, book)):
        for job in ready:
            book.add(job.key, made_values(job), 90.0, VERSIONS)
    return book


def made_values(job: Job) -> list[Value]:
    """Return numbers near the paper's, or anywhere where it has none."""
    rng = random.Random(repr(job.key))
    recipe = job.recipe.name
    values = {name: rng.uniform(1, 2) for name in ("validation_loss", "ensemble_loss")}
    values |= {"diverged": 0.0, "kept_epoch": 90.0, "last_control": rng.random()}
    for rows in ("test", *_outside(recipe)):
        for metric in ERRORS:
            values[f"{rows}_{metric}"] = rng.uniform(0.1, 0.9)
        values[f"{rows}_auroc"] = rng.uniform(0.5, 1)
        values[f"{rows}_nll_cut"] = values[f"{rows}_nll"]
    values["accuracy"] = rng.uniform(0.8, 0.9)
    if recipe.startswith("doubt-"):
        values |= {f"plain_{name}": rng.random() for name in list(values)}
        for name in DETECTORS:
            values[f"shifted_{name}_auroc"] = rng.uniform(0.3, 0.6)
    values |= {name: rng.random() for name in ("far_auroc", "far_flagged", "covered")}
    values |= {"false_alarms": 0.05, "plain_false_alarms": 0.05}
    values |= {"limit": 0.3, "budget": 1.0, "spent": 0.9}
    names = {"deep_ensemble": "DE (NLL)", "anchor_net": "AnchorNet", "mod": "MOD"}
    names |= {"negative_correlation": "NegCorr", "repulsive": "RDE", "dare": "DARE"}
    name = names.get(job.key.method)
    if (job.key.method, job.loss) == ("deep_ensemble", "squared_error"):
        name = "DE (MSE)"
    for (where, metric, who), printed in PRINTED.items():
        if (where, who) == (recipe, name):
            scale = 0.01 if printed.mean > 50 else 1.0
            values[metric] = scale * rng.gauss(printed.mean, printed.sd)
            values[f"{metric}_cut"] = values[metric]
    found = [Value(metric, value) for metric, value in values.items()]
    return found + _drawn(recipe)


def _outside(recipe: str) -> list[str]:
    if recipe.startswith("doubt-table-"):
        return ["shifted"]
    plain = recipe.removeprefix("doubt-").removeprefix("raw-").removeprefix("hours-")
    return OUTSIDE.get(plain, OUTSIDE.get(f"citycam-{plain}", ["gap"]))


def _drawn(recipe: str) -> list[Value]:
    along = {
        "two-moons": _plane,
        "one-dimensional": _line,
        "training": _training,
        "water-filling": _water,
        "still-water-filling": _water,
    }.get(recipe, dict)()
    return [
        Value(metric, float(value), str(at))
        for metric, (places, values) in along.items()
        for at, value in zip(places, values, strict=True)
    ]


def _plane() -> Along:
    side, steps = np.linspace(-3, 3, 49), np.arange(20)
    far = np.hypot(*np.meshgrid(side, side)).ravel() / 4
    ranks = [f"{layer}:{rank}" for layer in (1, 2, 3) for rank in range(10)]
    inside = ("mean", "std", "stranger", "weight")
    return {
        "unsure": (range(far.size), far),
        "train_x0": (steps, np.cos(steps)),
        "train_x1": (steps, np.sin(steps)),
        "train_y": (steps, steps // 10),
        **{f"inside_{name}": (ranks, np.linspace(1, 0, 30)) for name in inside},
    }


def _line() -> Along:
    x, steps = np.linspace(-1.5, 1.5, 31).round(4), np.linspace(-0.5, 0.5, 20)
    curves = {name: (x, 0.2 * np.square(x)) for name in ("mean", "std", "truth")}
    return curves | {name: (range(20), steps) for name in ("train_x0", "train_y")}


def _training() -> Along:
    names = ("loss", "validation_loss", "control", "weight")
    return {f"epoch_{name}": (range(1, 11), np.linspace(2, 1, 10)) for name in names}


def _water() -> Along:
    names = ("second_moment", "predicted", "measured", "optimum")
    filled = {name: (range(1, 10), 2.0 ** -np.arange(9)) for name in names}
    return {**filled, "predicted_without_log": (range(1, 10), np.eye(9)[-1])}
