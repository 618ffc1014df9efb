"""The parts of a problem on the demo page: pictures, a table, where doubt is beaten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from antireg.paper.demo.fits import DOUBT, Outcome
from antireg.report import page
from antireg.report.pictures import Picture


@dataclass(frozen=True)
class Column:
    """A column of the table: one metric of each method.

    Args:
        name: Metric of `Outcome.record`.
        title: Its name on the page.
        form: Format of the number.
        ideal: The number closest to it is bold; None if no number is better.
    """

    name: str
    title: str
    form: str = "{:.1%}"
    ideal: float | None = 1.0

    def text(self, outcome: Outcome) -> str:
        """Return the number as the page shows it."""
        return self.form.format(outcome.record[self.name]).replace(
            "%", "\N{NO-BREAK SPACE}%"
        )

    def best(self, outcomes: Sequence[Outcome]) -> set[str]:
        """Return the bold number as the page shows it; empty if there is none."""
        if self.ideal is None:
            return set()
        ideal = self.ideal
        nearest = min(outcomes, key=lambda o: abs(o.record[self.name] - ideal))
        return {self.text(nearest)}


@dataclass(frozen=True)
class Story:
    """One problem on the page.

    Args:
        title: Heading.
        text: What the problem is.
        pictures: Functions that draw one outcome, each with a caption.
        columns: Of the table.
        note: What the numbers in it mean.
    """

    title: str
    text: str
    pictures: Sequence[tuple[Callable[[Outcome], Picture], str]]
    columns: Sequence[Column]
    note: str


def shown(story: Story, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the pictures, the table and the small print of one problem."""
    return {
        "title": story.title,
        "text": story.text,
        "figures": [
            ([draw(outcome) for outcome in outcomes], caption)
            for draw, caption in story.pictures
        ],
        "cells": _cells(story.columns, outcomes),
        "note": f"{story.note} {_beaten(story.columns, outcomes)}",
        "advice": [(o.method, said) for o in outcomes for said in o.advice],
    }


def _cells(columns: Sequence[Column], outcomes: Sequence[Outcome]) -> page.Cells:
    rows = []
    for outcome in outcomes:
        texts = [(column.text(outcome), column.best(outcomes)) for column in columns]
        cells = [page.strong(text) if text in best else text for text, best in texts]
        rows.append([outcome.method, *cells])
    return page.Cells(["", *(column.title for column in columns)], rows)


def _beaten(columns: Sequence[Column], outcomes: Sequence[Outcome]) -> str:
    """Return in which columns doubt is beaten, as a sentence."""
    doubt = next(o for o in outcomes if o.method == DOUBT.name)
    beaten = [
        f"{column.title} ({column.text(doubt)} against {best.pop()})"
        for column in columns
        if (best := column.best(outcomes)) and column.text(doubt) not in best
    ]
    if not beaten:
        return "Doubt is not beaten in any column here."
    return f"Doubt is beaten here in {' and '.join(beaten)}."
