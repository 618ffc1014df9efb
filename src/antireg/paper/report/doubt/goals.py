"""What was wanted of doubt before it was measured, task by task."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from antireg.paper.data.natural_tables import TABLES
from antireg.paper.data.uci_tables import NAMES as UCI
from antireg.paper.experiments.detectors import NAMES as DETECTORS
from antireg.paper.report.doubt.measured import (
    WITH_DOUBT,
    Column,
    Found,
    Measure,
    least_covered,
    mean,
    over_deep_ensemble,
    over_tables,
)
from antireg.paper.report.results import Results


@dataclass(frozen=True)
class Goal:
    """A number, and where it should be.

    Attributes:
        what: Its name on the page.
        measure: Finds it in the rows.
        wanted: None if it is only shown.
        is_least: Whether it should be at least that, not at most.
        digits: Number of decimals; what is compared is what is shown.
        is_headline: Whether it is in the short table.
    """

    what: str
    measure: Measure
    wanted: float | None = None
    is_least: bool = False
    digits: int = 2
    is_headline: bool = True

    @property
    def wanted_text(self) -> str:
        """The wanted number, as it is shown."""
        if self.wanted is None:
            return ""
        return f"{'≥' if self.is_least else '≤'} {self.wanted:.{self.digits}f}"

    def reached(self, results: Results) -> str:
        """Return whether the library's default is there, as a word."""
        found = self.measure(results, WITH_DOUBT)
        if self.wanted is None:
            return ""
        if found.value is None:
            return "missing"
        shown = round(found.value, self.digits)
        is_there = shown >= self.wanted if self.is_least else shown <= self.wanted
        so_far = "" if found.is_whole else f" so far, {found.done} of {found.wanted}"
        return ("yes" if is_there else "no") + so_far


@dataclass(frozen=True)
class Part:
    """The goals of one task, and the studies behind them."""

    title: str
    goals: tuple[Goal, ...]


@dataclass(frozen=True)
class Task:
    """A task of CityCam: its name in the rows, its shift, what is wanted."""

    title: str
    name: str
    shift: str
    nll: float
    ece: float
    auroc: float


CITYCAM = (
    Task("same five cameras", "same-cameras", "other_cameras", 2.3, 0.06, 0.98),
    Task("cameras drawn by seed", "cameras", "other_cameras", 2.7, 0.12, 0.98),
    Task("bigbus", "bigbus", "bigbus", 2.6, 0.15, 0.92),
    Task("weather", "weather", "after_14h", 2.05, 0.05, 0.88),
)
MORE_INSIDE = 0.03
"""How much worse than the deep ensemble the NLL inside may be."""
NOTICED, COVERED = 0.9, 0.8
"""Where the AUROC is at least the first, intervals should cover the second."""


def citycam(setting: str) -> list[Part]:
    """Return what is wanted on CityCam.

    Args:
        setting: Prefix of the studies: "doubt", or "doubt-raw".
    """
    return [
        Part(task.title, _citycam_goals(f"{setting}-{task.name}", task))
        for task in CITYCAM
    ]


def hours() -> list[Part]:
    """Return what is shown of CityCam with whole hours held out."""
    shown = []
    for task in CITYCAM:
        study = f"doubt-hours-{task.name}"
        names = {"outside": task.shift, "inside": "test"}
        goals = [
            Goal(f"{metric.upper()} {where}", mean(study, f"{rows}_{metric}"))
            for where, rows in names.items()
            for metric in ("nll", "ece")
        ]
        auroc = Goal("AUROC", mean(study, f"{task.shift}_auroc"))
        alarms = Goal("false alarms, 5 % asked", mean(study, "false_alarms"))
        shown.append(Part(task.title, (*goals, auroc, alarms)))
    return shown


def images(setting: str) -> list[Part]:
    """Return what is wanted on pictures; `setting` is as in `citycam`."""
    wanted = {
        "cifar10": ("CIFAR-10", {"svhn": 0.95, "cifar100": 0.88}, 0.926),
        "fashion-mnist": ("Fashion-MNIST", {"mnist": 0.993, "cifar10": 0.995}, 0.892),
    }
    titles = {
        "svhn": "SVHN",
        "cifar100": "CIFAR-100",
        "mnist": "MNIST",
        "cifar10": "CIFAR-10",
    }
    parts = []
    for name, (title, shifts, accuracy) in wanted.items():
        study = f"{setting}-{name}"
        goals = [
            Goal(
                f"AUROC {titles[shift]}", mean(study, f"{shift}_auroc"), least, True, 3
            )
            for shift, least in shifts.items()
        ]
        right = Goal("accuracy", mean(study, "accuracy"), accuracy, True, 3, False)
        parts.append(Part(title, (*goals, right)))
    return parts


def gaps() -> Part:
    """Return what is wanted of the nine UCI sets."""
    aurocs, nlls = (_each("doubt-uci", UCI, f"gap_{m}") for m in ("auroc", "nll"))
    return Part(
        "UCI gaps, nine sets",
        (
            Goal("mean AUROC", over_tables(aurocs, _mean), 0.82, True),
            Goal("worst NLL in a gap", over_tables(nlls, max), 4.0),
        ),
    )


def tables() -> Part:
    """Return what is wanted of tables with shifts of their own."""
    aurocs, covered, caught = (
        _each("doubt-table", TABLES, f"shifted_{metric}")
        for metric in ("auroc", "coverage90", "caught")
    )
    joined = over_tables(aurocs, _mean)
    return Part(
        f"{len(TABLES)} tables with shifts of their own",
        (
            Goal("mean AUROC", joined, 0.88, True),
            Goal(
                "the same, over the best detector's",
                _over_best(joined),
                0.0,
                True,
                is_headline=False,
            ),
            Goal(
                f"least coverage where AUROC ≥ {NOTICED:g}",
                least_covered(aurocs, covered, NOTICED),
                COVERED,
                True,
            ),
            Goal("caught at 5 % false alarms", over_tables(caught, _mean), 0.65, True),
        ),
    )


def detector_auroc(name: str, table: str) -> Measure:
    """Return what measures a detector of scikit-learn on a table."""
    measure = mean(f"doubt-table-{table}", f"shifted_{name}_auroc")
    # They are in the rows of the deep ensemble, whoever they are compared with.
    return lambda results, who: measure(results, WITH_DOUBT)


def best_detector(results: Results) -> tuple[str, Found]:
    """Return the detector with the highest mean AUROC over tables."""
    found = {
        title: over_tables([detector_auroc(name, t) for t in TABLES], _mean)(
            results, WITH_DOUBT
        )
        for name, title in DETECTORS.items()
    }
    return max(found.items(), key=lambda pair: pair[1].value or 0.0)


def _citycam_goals(study: str, task: Task) -> tuple[Goal, ...]:
    shift = task.shift
    ece, inside = mean(study, f"{shift}_ece"), over_deep_ensemble(study, "test_nll")
    return (
        Goal("NLL outside", mean(study, f"{shift}_nll"), task.nll),
        Goal("ECE outside", ece, task.ece, is_headline=False),
        Goal("NLL inside, over DE", inside, MORE_INSIDE, is_headline=False),
        Goal("AUROC", mean(study, f"{shift}_auroc"), task.auroc, True),
        Goal("90 % intervals cover", mean(study, f"{shift}_coverage90")),
    )


def _each(prefix: str, names: Iterable[str], metric: str) -> list[Measure]:
    return [mean(f"{prefix}-{name}", metric) for name in names]


def _over_best(joined: Measure) -> Measure:
    def measure(results: Results, who: Column) -> Found:
        found, (_, other) = joined(results, who), best_detector(results)
        if found.value is None or other.value is None:
            return Found(None, found.done, found.wanted)
        return Found(found.value - other.value, found.done, found.wanted)

    return measure


def _mean(values: list[float]) -> float:
    return float(np.mean(values))
