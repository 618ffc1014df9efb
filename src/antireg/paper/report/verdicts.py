"""What the numbers say, worked out: who agrees with the paper, and where DARE loses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from antireg.paper.experiments.printed import PRINTED
from antireg.paper.report.entries import AUROC, MAE, Entry, best, percent
from antireg.paper.report.results import Results
from antireg.paper.report.tables import (
    DETECTION,
    INSIDE,
    OUTSIDE,
    SHIFTS,
    TABLES,
    Column,
    Part,
    cut_entry,
    entries,
)

JUDGED = ("DE (NLL)", "DARE")
OURS = "DARE"


@dataclass(frozen=True)
class Verdict:
    """Whether DE and DARE are where the paper has them, in one column."""

    part: Part
    column: Column
    cut: bool
    entries: dict[str, Entry]


def verdicts(results: Results) -> list[Verdict]:
    """Return one per column that the paper has too."""
    found = []
    for table in (OUTSIDE, INSIDE, DETECTION):
        for part in table.parts:
            for column in part.columns:
                whole = entries(results, part, column)
                judged = {name: whole[name] for name in JUDGED}
                if all(entry.printed is None for entry in judged.values()):
                    continue
                found.append(Verdict(part, column, False, judged))
                cut = {
                    name: cut_entry(results, part, column, name) or entry
                    for name, entry in judged.items()
                }
                if cut != judged:
                    found.append(Verdict(part, column, True, cut))
    return found


def losses(results: Results) -> Iterator[tuple[str, str]]:
    """Yield what DARE is not the best at: its number, the best, and whose that is."""
    for table in TABLES:
        titles = dict.fromkeys(c.title for part in table.parts for c in part.columns)
        for title in titles:
            beaten = [
                words
                for part in table.parts
                for column in part.columns
                if column.title == title
                and (words := _beaten(part, entries(results, part, column)))
            ]
            if beaten:
                number = table.title.partition(":")[0]
                yield f"{number}, {title}", "; ".join(beaten)


def _beaten(part: Part, found: dict[str, Entry]) -> str:
    leaders = best(found)
    ours = found[OURS]
    if not ours or OURS in leaders:
        return ""
    text = ours.kind.text
    # In the order of the table: that of a set is another in each process.
    names = [name for name in found if name in leaders]
    theirs = found[names[0]].mean
    words = f"{part.title} {text(ours.mean)}, {' and '.join(names)} {text(theirs)}"
    return words + " (within its sd)" * (abs(ours.mean - theirs) <= ours.sd)


def won(columns: Iterable[dict[str, Entry]]) -> tuple[int, int]:
    """Return how many columns DARE is the best in, alone or not, and of how many.

    Columns where some method has no number yet are left out.
    """
    whole = [c for c in columns if all(e or e.diverged for e in c.values())]
    return sum(OURS in best(column) for column in whole), len(whole)


@dataclass(frozen=True)
class Guess:
    """Errors outside, beside the error of one constant for all rows.

    The constant is the median of the very targets outside, which no method knows.
    """

    shift: str
    constant: Entry
    entries: dict[str, Entry]

    @property
    def words(self) -> str:
        """What that says of DARE."""
        ours, theirs = self.entries[OURS], self.entries[JUDGED[0]]
        if not ours or not self.constant:
            return f"{self.shift}: missing."
        share = ours.mean / self.constant.mean
        verdict = (
            "no better than the constant: as a prediction it is worthless there"
            if share >= 1
            else "hardly better than the constant"
            if share > 0.9
            else "clearly better than the constant, so not degenerate"
        )
        words = (
            f"{self.shift}: DARE errs by {MAE.text(ours.mean)} vehicles, the constant "
            f"by {MAE.text(self.constant.mean)}, so DARE by {percent(share)} of it: "
            f"{verdict}."
        )
        if theirs:
            change = ours.mean / theirs.mean - 1
            more = "more" if change > 0 else "less"
            words += f" That is {percent(abs(change))} {more} than DE (NLL)'s "
            words += f"{MAE.text(theirs.mean)}."
        return words


def guesses(results: Results) -> list[Guess]:
    """Return one per shift of CityCam."""
    found = []
    for part, (title, study, rows) in zip(OUTSIDE.parts, SHIFTS, strict=False):
        column = next(c for c in part.columns if c.kind is MAE)
        shown = entries(results, part, column)
        # It is the same whoever was trained, but for the seeds that are there.
        metric = f"{rows}_constant_mae"
        constants = [results.entry(study, name, metric, MAE) for name in shown]
        constant = max(constants, key=lambda entry: len(entry.values))
        found.append(Guess(title, constant, shown))
    return found


@dataclass(frozen=True)
class Reading:
    """How far a method's Fashion-MNIST areas are from the paper's, in its sds.

    Attributes:
        contender: Who.
        ours: Our CIFAR-10 and MNIST areas.
        printed: Mean distance with the paper's columns as printed.
        swapped: The same with its two columns the other way round.
        points: Both again, in points instead of sds.
    """

    contender: str
    ours: tuple[Entry, Entry]
    printed: float
    swapped: float
    points: tuple[float, float]


def readings(results: Results) -> list[Reading]:
    """Return both readings of the two columns for every method that has numbers."""
    study, metrics = "fashion-mnist", ("cifar10_auroc", "mnist_auroc")
    found = []
    (fashion,) = results.studies(study)
    for name in (c.name for c in fashion.contenders):
        first, second = (results.entry(study, name, m, AUROC) for m in metrics)
        if not first or not second:
            continue
        paper = [PRINTED[study, metric, name] for metric in metrics]
        ours = np.array([first.mean, second.mean])
        means, sds = np.array(paper).T
        off = [np.abs(ours - means), np.abs(ours - means[::-1])]
        printed, swapped = off[0] / sds, off[1] / sds[::-1]
        points = (float(off[0].mean()), float(off[1].mean()))
        pair = float(printed.mean()), float(swapped.mean())
        found.append(Reading(name, (first, second), *pair, points))
    return found
