"""Finds in the rows the fits of each method in each study, by seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from antireg.methods import Method
from antireg.paper.experiments.plan import Cell, chosen, next_job
from antireg.paper.experiments.printed import PRINTED
from antireg.paper.experiments.recipes import named
from antireg.paper.experiments.rows import Book, Record
from antireg.paper.experiments.study import Contender, Study
from antireg.paper.report.entries import Entry, Kind
from antireg.predictive.values import Array

N_SEEDS = 5
"""As in the paper."""


@dataclass(frozen=True)
class Line:
    """The fits of one contender in one study: a line of a table.

    Attributes:
        study: The study.
        contender: The method under its name in the table.
        records: Its fits, by seed.
        methods: The method with the settings chosen, by seed.
        diverged: Seeds for which every training diverged.
        wanted: Number of seeds planned.
    """

    study: Study
    contender: Contender
    records: dict[int, Record] = field(default_factory=dict)
    methods: dict[int, Method] = field(default_factory=dict)
    diverged: list[int] = field(default_factory=list)
    wanted: int = N_SEEDS

    @property
    def done(self) -> int:
        """Number of seeds that are finished."""
        return len(self.records) + len(self.diverged)

    @property
    def settings(self) -> str:
        """The settings chosen, with their range over seeds; "" if there are none."""
        names = [name for m in self.methods.values() for name in m.get_params(False)]
        parts = []
        for name in dict.fromkeys(names):
            params = [
                method.get_params(False)[name] for method in self.methods.values()
            ]
            if any(isinstance(value, str) for value in params):
                continue  # a choice among words, which no search makes
            values = sorted({float(value) for value in params})
            ends = dict.fromkeys(f"{v:.3g}" for v in (values[0], values[-1]))
            parts.append(f"{name} {' to '.join(ends)}")
        return ", ".join(parts)


class Results:
    """The rows, by study and contender."""

    def __init__(self, book: Book) -> None:
        """Remember the rows; they are read on demand."""
        self.book = book
        self._lines: dict[tuple[str, str], Line] = {}

    def studies(self, *names: str) -> list[Study]:
        """Return studies by the names that `reproduce` takes; all if none is given."""
        return named(names or ("all",))

    def line(self, study: str, contender: str) -> Line:
        """Return the fits of a contender in a study."""
        found = self._lines.get((study, contender))
        if found is None:
            (named_study,) = named([study])
            who = next(c for c in named_study.contenders if c.name == contender)
            found = self._lines[study, contender] = self._gather(named_study, who)
        return found

    def lines(self, study: Study) -> list[Line]:
        """Return all lines of a study."""
        return [self.line(study.name, c.name) for c in study.contenders]

    def record(self, study: str, contender: str, seed: int = 0) -> Record | None:
        """Return the fit of one seed, None if there is none yet."""
        return self.line(study, contender).records.get(seed)

    def entry(self, study: str, contender: str, metric: str, kind: Kind) -> Entry:
        """Return one metric of a contender, over seeds."""
        line = self.line(study, contender)
        found = (record.values.get((metric, "")) for record in line.records.values())
        values = [value * kind.scale for value in found if value is not None]
        printed = PRINTED.get((line.study.recipe.name, metric, contender))
        return Entry(kind, values, printed, len(line.diverged), line.wanted)

    def fits(self, studies: Iterable[Study]) -> Iterator[Record]:
        """Yield every recorded fit of the studies' recipes, including searches."""
        for recipe in dict.fromkeys(study.recipe.name for study in studies):
            yield from self.book.records(recipe).values()

    def _gather(self, study: Study, contender: Contender) -> Line:
        seen = [key.seed for key in self.book.records(study.recipe.name)]
        wanted = min(N_SEEDS, study.most_seeds)
        line = Line(study, contender, wanted=wanted)
        for seed in range(min(max([wanted, *(s + 1 for s in seen)]), study.most_seeds)):
            cell = Cell(study.recipe, contender, seed)
            found = chosen(cell, self.book)
            if found is not None:
                line.methods[seed], line.records[seed] = found[0].method, found[1]
            elif next_job(cell, self.book) is None:
                line.diverged.append(seed)
        return line


def points(record: Record, metric: str) -> tuple[list[str], Array]:
    """Return the places and values of a metric along an axis, in order."""
    along = record.along(metric)
    return list(along), np.array(list(along.values()))
