"""What the rows say of each line of each table: the fits that stand for it, by seed."""

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
    """One contender of one study.

    Attributes:
        study: The study it is part of.
        contender: The method it shows.
        records: Its fits, by seed.
        methods: The method with the settings chosen, by seed.
        diverged: Seeds where every training diverged.
        wanted: How many seeds there should be.
    """

    study: Study
    contender: Contender
    records: dict[int, Record] = field(default_factory=dict)
    methods: dict[int, Method] = field(default_factory=dict)
    diverged: list[int] = field(default_factory=list)
    wanted: int = N_SEEDS

    @property
    def done(self) -> int:
        """How many seeds are done."""
        return len(self.records) + len(self.diverged)

    @property
    def settings(self) -> str:
        """What was chosen for it, with the range over seeds; "" if nothing was."""
        names = [name for m in self.methods.values() for name in m.get_params(False)]
        parts = []
        for name in dict.fromkeys(names):
            params = (method.get_params(False) for method in self.methods.values())
            values = sorted({float(found[name]) for found in params})
            ends = dict.fromkeys(f"{v:.3g}" for v in (values[0], values[-1]))
            parts.append(f"{name} {' to '.join(ends)}")
        return ", ".join(parts)


class Results:
    """The rows, by study and contender."""

    def __init__(self, book: Book) -> None:
        """Read what is needed when it is needed."""
        self.book = book
        self._lines: dict[tuple[str, str], Line] = {}

    def studies(self, *names: str) -> list[Study]:
        """Return studies by the names `reproduce` knows; all without a name."""
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
        """Return the fit of one seed, if it is there."""
        return self.line(study, contender).records.get(seed)

    def entry(self, study: str, contender: str, metric: str, kind: Kind) -> Entry:
        """Return the number of a contender, over seeds."""
        line = self.line(study, contender)
        found = (record.values.get((metric, "")) for record in line.records.values())
        values = [value * kind.scale for value in found if value is not None]
        printed = PRINTED.get((line.study.recipe.name, metric, contender))
        return Entry(kind, values, printed, len(line.diverged), line.wanted)

    def fits(self, studies: Iterable[Study]) -> Iterator[Record]:
        """Return every recorded fit of the studies' recipes, searches included."""
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
    """Return the places and the values of a metric, in order."""
    along = record.along(metric)
    return list(along), np.array(list(along.values()))
