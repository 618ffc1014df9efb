"""Conclusions from the numbers: what agrees with the paper, and where DARE loses."""

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
    clipped_entry,
    entries,
)

JUDGED = ("DE (NLL)", "DARE")
OURS = "DARE"


@dataclass(frozen=True)
class Verdict:
    """The numbers of DE and DARE in one column, `clipped` if their log σ² is."""

    part: Part
    column: Column
    clipped: bool
    entries: dict[str, Entry]


def verdicts(results: Results) -> list[Verdict]:
    """Return one per column of the paper, and another where clipping matters."""
    found = []
    for table in (OUTSIDE, INSIDE, DETECTION):
        for part in table.parts:
            for column in part.columns:
                whole = entries(results, part, column)
                judged = {name: whole[name] for name in JUDGED}
                if all(entry.printed is None for entry in judged.values()):
                    continue
                found.append(Verdict(part, column, False, judged))
                clipped = {
                    name: clipped_entry(results, part, column, name) or entry
                    for name, entry in judged.items()
                }
                if clipped != judged:
                    found.append(Verdict(part, column, True, clipped))
    return found


def losses(results: Results) -> Iterator[tuple[str, str]]:
    """Yield each column DARE is not the best in, and who is better by how much."""
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
    # In the order of the table; the order of a set differs between processes.
    names = [name for name in found if name in leaders]
    theirs = found[names[0]].mean
    words = f"{part.title} {text(ours.mean)}, {' and '.join(names)} {text(theirs)}"
    return words + " (within its sd)" * (abs(ours.mean - theirs) <= ours.sd)


def won(columns: Iterable[dict[str, Entry]]) -> tuple[int, int]:
    """Return how many columns DARE is the best or tied in, and how many there are.

    Columns where some method has no number yet are left out.
    """
    whole = [c for c in columns if all(e or e.diverged for e in c.values())]
    return sum(OURS in best(column) for column in whole), len(whole)


@dataclass(frozen=True)
class Guess:
    """OOD errors beside the error of one constant for all rows.

    The constant is the median of the OOD targets themselves, which no method knows.
    """

    shift: str
    constant: Entry
    entries: dict[str, Entry]

    @property
    def words(self) -> str:
        """What this means for DARE, as a sentence or two."""
        ours, theirs = self.entries[OURS], self.entries[JUDGED[0]]
        if not ours or not self.constant:
            return f"{self.shift}: missing."
        share = ours.mean / self.constant.mean
        verdict = (
            "no better than the constant, so its predictions are worthless there"
            if share >= 1
            else "hardly better than the constant"
            if share > 0.9
            else "clearly better than the constant, so not degenerate"
        )
        words = (
            f"{self.shift}: DARE's error is {MAE.text(ours.mean)} vehicles, "
            f"{percent(share)} of the constant's {MAE.text(self.constant.mean)}: "
            f"{verdict}."
        )
        if theirs:
            change = ours.mean / theirs.mean - 1
            more = "more" if change > 0 else "less"
            words += f" It is {percent(abs(change))} {more} than DE (NLL)'s "
            words += f"{MAE.text(theirs.mean)}."
        return words


def guesses(results: Results) -> list[Guess]:
    """Return one per shift of CityCam."""
    found = []
    for part, (title, study, rows) in zip(OUTSIDE.parts, SHIFTS, strict=False):
        column = next(c for c in part.columns if c.kind is MAE)
        shown = entries(results, part, column)
        # The same for every method; take the one with the most seeds.
        metric = f"{rows}_constant_mae"
        constants = [results.entry(study, name, metric, MAE) for name in shown]
        constant = max(constants, key=lambda entry: len(entry.values))
        found.append(Guess(title, constant, shown))
    return found


@dataclass(frozen=True)
class Swap:
    """How far a method's Fashion-MNIST AUROCs are from the paper's, in its sds.

    Attributes:
        contender: The method.
        ours: Our AUROCs for CIFAR-10 and MNIST.
        printed: Mean distance to the paper's columns as printed.
        swapped: Mean distance to the paper's columns if swapped.
        points: Both distances in points instead of sds.
    """

    contender: str
    ours: tuple[Entry, Entry]
    printed: float
    swapped: float
    points: tuple[float, float]


def swaps(results: Results) -> list[Swap]:
    """Return how well the paper's two columns fit as printed and swapped, by method."""
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
        found.append(Swap(name, (first, second), *pair, points))
    return found
