"""How the demo shows a problem: pictures, a table, and where DARE is beaten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antireg.paper import figures
from antireg.paper.demo.fits import Outcome
from antireg.report import page

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Column:
    """A number of each method, beside what it should be.

    Args:
        name: Metric of `Outcome.record`.
        title: On the page.
        form: How it is written.
        ideal: The nearest to it stands out; None where none is better as such.
    """

    name: str
    title: str
    form: str = "{:.1%}"
    ideal: float | None = 1.0

    def text(self, outcome: Outcome) -> str:
        """Return the number as the page writes it."""
        return self.form.format(outcome.record[self.name]).replace(
            "%", "\N{NO-BREAK SPACE}%"
        )

    def best(self, outcomes: Sequence[Outcome]) -> set[str]:
        """Return the numbers that stand out, as the page writes them."""
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
        pictures: Drawings of one outcome, and what to see in them.
        columns: The table.
        note: What its numbers are of.
    """

    title: str
    text: str
    pictures: Sequence[tuple[Callable[[Outcome], Figure], str]]
    columns: Sequence[Column]
    note: str


def section(story: Story, outcomes: Sequence[Outcome]) -> page.Html:
    """Return the pictures, the table and the small print of one problem."""
    blocks = [page.paragraph(story.text)]
    for draw, caption in story.pictures:
        pictures = [
            page.picture(figures.svg(draw(outcome)), f"{story.title}, {outcome.method}")
            for outcome in outcomes
        ]
        blocks.append(page.figure(pictures, caption))
    blocks.append(_table(story.columns, outcomes))
    blocks.append(page.paragraph(f"{story.note} {_beaten(story.columns, outcomes)}"))
    blocks += [
        page.note(f"What training said of {outcome.method}: “{said}”")
        for outcome in outcomes
        for said in outcome.advice
    ]
    return page.section(story.title, *blocks)


def _table(columns: Sequence[Column], outcomes: Sequence[Outcome]) -> page.Html:
    rows = []
    for outcome in outcomes:
        texts = [(column.text(outcome), column.best(outcomes)) for column in columns]
        cells = [page.strong(text) if text in best else text for text, best in texts]
        rows.append([outcome.method, *cells])
    return page.table(["", *(column.title for column in columns)], rows)


def _beaten(columns: Sequence[Column], outcomes: Sequence[Outcome]) -> str:
    """Return in which columns DARE is beaten, whatever the seed."""
    dare = next(o for o in outcomes if o.method == "DARE")
    beaten = [
        f"{column.title} ({column.text(dare)} against {best.pop()})"
        for column in columns
        if (best := column.best(outcomes)) and column.text(dare) not in best
    ]
    if not beaten:
        return "DARE is not beaten in any column here."
    return f"DARE is beaten here in {' and '.join(beaten)}."
