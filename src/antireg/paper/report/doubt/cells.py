"""The tables of doubt: for the page, as CSV, and in Markdown for the README."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator

from antireg.paper.data.natural_tables import TABLES
from antireg.paper.data.uci_tables import NAMES as UCI
from antireg.paper.experiments.detectors import NAMES as DETECTORS
from antireg.paper.report.doubt import goals
from antireg.paper.report.doubt.goals import Goal, Part
from antireg.paper.report.doubt.measured import (
    COLUMNS,
    DARE,
    PLAIN_DE,
    WITH_DOUBT,
    Column,
    Found,
    Measure,
    mean,
)
from antireg.paper.report.results import Results
from antireg.report import page
from antireg.report.page import Cells

NAME = "doubt"
HEADER = ("task", "number", "wanted", "method", "value", "fits", "of", "reached")
Shown = tuple[str, Measure, Column]
"""A column of a table with one line for each data set."""


def groups() -> dict[str, list[Part]]:
    """Return everything that was wanted, by what the page calls it."""
    return {
        "CityCam": goals.citycam("doubt"),
        "CityCam, raw": goals.citycam("doubt-raw"),
        "pictures": goals.images("doubt"),
        "pictures, raw": goals.images("doubt-raw"),
        "UCI gaps": [goals.gaps()],
        "own shifts": [goals.tables()],
    }


def part_cells(results: Results, part: Part) -> Cells:
    """Return one task: members alone and with doubt, beside what was wanted."""
    rows = [[_name(goal), *_numbers(results, goal)] for goal in part.goals]
    return Cells([part.title, *(column.title for column in COLUMNS)], rows)


def gaps_cells(results: Results) -> Cells:
    """Return the nine UCI sets, one line each."""
    names = {"AUROC": "auroc", "NLL": "nll", "90 % cover": "coverage90"}
    return _by_table(
        results,
        UCI,
        lambda name: [
            (f"{title}, {who.title}", mean(f"doubt-uci-{name}", f"gap_{metric}"), who)
            for title, metric in names.items()
            for who in (PLAIN_DE, WITH_DOUBT)
        ],
    )


def detection_cells(results: Results) -> Cells:
    """Return the AUROC of each table, beside scikit-learn's detectors."""

    def shown(name: str) -> list[Shown]:
        own = mean(f"doubt-table-{name}", "shifted_auroc")
        others = [
            (title, goals.detector_auroc(key, name), WITH_DOUBT)
            for key, title in DETECTORS.items()
        ]
        return [*((who.title, own, who) for who in COLUMNS), *others]

    return _by_table(results, TABLES, shown)


def covered_cells(results: Results) -> Cells:
    """Return how many shifted rows of each table are caught, and covered."""
    names = {"caught": "caught", "90 % cover": "coverage90"}
    return _by_table(
        results,
        TABLES,
        lambda name: [
            (f"{title}, {who.title}", mean(f"doubt-table-{name}", f"shifted_{m}"), who)
            for title, m in names.items()
            for who in COLUMNS
            if who.contender != DARE
        ],
    )


def counted(results: Results, everything: Iterable[Part]) -> tuple[int, int, int]:
    """Return how many goals are reached, not reached, and not measured whole."""
    said = [goal.reached(results) for part in everything for goal in part.goals]
    asked = [word for word in said if word]
    reached, not_reached = asked.count("yes"), asked.count("no")
    return reached, not_reached, len(asked) - reached - not_reached


def better_base(results: Results, everything: Iterable[Part]) -> tuple[int, int]:
    """Return in how many of the numbers doubt is better on DE, and on DARE."""
    wins = [0, 0]
    for goal in (goal for part in everything for goal in part.goals):
        found = [goal.measure(results, who) for who in COLUMNS[2:]]
        values = [f.value for f in found if f.is_whole and f.value is not None]
        if goal.wanted is None or len(values) < len(found):
            continue
        first, second = (round(value, goal.digits) for value in values)
        if first != second:
            wins[(first < second) == goal.is_least] += 1
    return wins[0], wins[1]


def goals_csv(results: Results) -> str:
    """Return every number beside what was wanted, one per row."""
    stream = io.StringIO()
    lines = csv.writer(stream, lineterminator="\n")
    lines.writerow(HEADER)
    shown = {**groups(), "whole hours": goals.hours()}
    for group, parts in shown.items():
        for part in parts:
            for goal in part.goals:
                for who in COLUMNS:
                    task = f"{group}, {part.title}"
                    found = goal.measure(results, who)
                    reached = goal.reached(results) if who is WITH_DOUBT else ""
                    value = "" if found.value is None else f"{found.value:.6g}"
                    numbers = (who.title, value, found.done, found.wanted, reached)
                    lines.writerow((task, goal.what, goal.wanted_text, *numbers))
    return stream.getvalue()


def markdown(results: Results, short: bool = False) -> str:
    """Return the default beside what was wanted, a line for each number.

    Args:
        results: The rows.
        short: Whether only headlines are shown.
    """
    wanted = [
        part
        for group, parts in groups().items()
        for part in parts
        if "raw" not in group
    ]
    lines = [["", "", *(who.title for who in COLUMNS), "wanted"]]
    for part in wanted:
        title = f"**{part.title}**"
        for goal in part.goals:
            if goal.wanted is not None and (goal.is_headline or not short):
                lines.append([title, goal.what, *_markdown_numbers(results, goal)])
                title = ""
    head, *body = ("| " + " | ".join(line) + " |" for line in lines)
    table = "\n".join([head, "| --- " * len(lines[0]) + "|", *body])
    reached, *others = counted(results, wanted)
    return f"{table}\n\nOf {reached + sum(others)} goals, {reached} are reached"


def _markdown_numbers(results: Results, goal: Goal) -> Iterator[str]:
    """Yield all columns of a goal; the default is bold where it is reached."""
    for who in COLUMNS:
        text = goal.measure(results, who).text(goal.digits)
        is_there = who is WITH_DOUBT and goal.reached(results) == "yes"
        yield f"**{text}**" if is_there else text
    yield goal.wanted_text


def _name(goal: Goal) -> str:
    if goal.wanted is None:
        return goal.what
    return page.stacked(goal.what, f"wanted {goal.wanted_text}")


def _numbers(results: Results, goal: Goal) -> Iterator[str]:
    reached = goal.reached(results)
    for who in COLUMNS:
        found = goal.measure(results, who)
        text = _own(found, goal.digits)
        if who is not WITH_DOUBT or not reached or reached == "missing":
            yield text
        elif reached.startswith("yes"):
            yield page.stacked(page.strong(found.text(goal.digits)), reached)
        else:
            yield page.stacked(page.far(found.text(goal.digits)), reached)


def _by_table(
    results: Results, names: Iterable[str], shown: Callable[[str], list[Shown]]
) -> Cells:
    rows, titles = [], [""]
    for name in names:
        columns = shown(name)
        titles = [title for title, _, _ in columns]
        found = [measure(results, who) for _, measure, who in columns]
        if any(each.value is not None for each in found):
            rows.append([name, *(_own(each, 2) for each in found)])
    return Cells(["", *titles], rows)


def _own(found: Found, digits: int) -> str:
    text = found.text(digits)
    return page.absent(text) if found.value is None else text
