"""Numbers of doubt: means over seeds, and over tables, with how much is still missing.

Every number is there four times: of members alone and with doubt, for both methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from antireg.paper.experiments.doubted import PLAIN
from antireg.paper.report.entries import number
from antireg.paper.report.results import Results

DE, DARE = "doubt on DE", "doubt on DARE"
"""The contenders; the first is the library's default."""


@dataclass(frozen=True)
class Column:
    """A column of the tables: a contender, with its doubt or without.

    Attributes:
        title: On the page.
        contender: In the rows.
        prefix: Of its metrics.
    """

    title: str
    contender: str
    prefix: str = ""


PLAIN_DE = Column("DE", DE, PLAIN)
WITH_DOUBT = Column(DE, DE)
COLUMNS = (PLAIN_DE, Column("DARE", DARE, PLAIN), WITH_DOUBT, Column(DARE, DARE))


@dataclass(frozen=True)
class Found:
    """A number, and how many of the parts it is made of are there.

    Attributes:
        value: The mean; None if nothing is there.
        done: Fits that it is made of.
        wanted: Fits that it should be made of.
    """

    value: float | None
    done: int
    wanted: int

    @property
    def is_whole(self) -> bool:
        """Whether every fit is there."""
        return self.value is not None and self.done >= self.wanted

    def text(self, digits: int) -> str:
        """Return the number as it is shown."""
        if self.value is None:
            return "missing"
        return number(round(self.value, digits) + 0.0, digits)  # no "−0.00"


Measure = Callable[[Results, Column], Found]


def by_seed(results: Results, study: str, who: Column, metric: str) -> dict[int, float]:
    """Return a metric by seed, of those that are there."""
    records = results.line(study, who.contender).records
    found = {
        seed: r.values.get((f"{who.prefix}{metric}", "")) for seed, r in records.items()
    }
    return {seed: value for seed, value in found.items() if value is not None}


def mean(study: str, metric: str) -> Measure:
    """Return what measures the mean of a metric over seeds."""

    def measure(results: Results, who: Column) -> Found:
        values = by_seed(results, study, who, metric)
        wanted = results.line(study, who.contender).wanted
        return found_of(values.values(), len(values), wanted)

    return measure


def over_deep_ensemble(study: str, metric: str) -> Measure:
    """Return what measures how much larger a metric is than the deep ensemble's."""

    def measure(results: Results, who: Column) -> Found:
        own = by_seed(results, study, who, metric)
        plain = by_seed(results, study, PLAIN_DE, metric)
        both = [own[seed] - plain[seed] for seed in own if seed in plain]
        wanted = results.line(study, who.contender).wanted
        return found_of(both, len(both), wanted)

    return measure


def over_tables(
    measures: Iterable[Measure], join: Callable[[list[float]], float]
) -> Measure:
    """Return what joins the numbers of several tables, as their mean or the worst."""
    each = list(measures)

    def measure(results: Results, who: Column) -> Found:
        parts = [one(results, who) for one in each]
        values = [part.value for part in parts if part.value is not None]
        done, wanted = sum(p.done for p in parts), sum(p.wanted for p in parts)
        return Found(join(values) if values else None, done, wanted)

    return measure


def least_covered(
    detected: Iterable[Measure], covered: Iterable[Measure], least: float
) -> Measure:
    """Return what measures the least coverage of tables whose shift is noticed.

    Args:
        detected: The AUROC of each table.
        covered: The share of its shifted targets inside their intervals.
        least: The AUROC from which a shift is noticed.
    """
    pairs = list(zip(detected, covered, strict=True))

    def measure(results: Results, who: Column) -> Found:
        parts = [(one(results, who), other(results, who)) for one, other in pairs]
        values = [
            inside.value
            for auroc, inside in parts
            if auroc.value is not None and inside.value is not None
            if auroc.value >= least
        ]
        done, wanted = sum(p.done for p, _ in parts), sum(p.wanted for p, _ in parts)
        return Found(min(values) if values else None, done, wanted)

    return measure


def found_of(values: Iterable[float], done: int, wanted: int) -> Found:
    """Return the mean of values."""
    each = list(values)
    return Found(float(np.mean(each)) if each else None, done, wanted)
