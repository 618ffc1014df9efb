"""The sections on doubt, beside the tables of the paper and after them."""

from __future__ import annotations

from markupsafe import Markup

from antireg.paper.data.natural_tables import TABLES
from antireg.paper.experiments.doubted import MOST_ROWS
from antireg.paper.report.doubt import cells, goals
from antireg.paper.report.results import Results
from antireg.paper.report.sections import TEMPLATES


def summary(results: Results) -> Markup:
    """Return the section that says how much of what was wanted is reached."""
    everything = cells.groups()
    parts = [part for each in everything.values() for part in each]
    on_deep_ensemble, on_dare = cells.better_base(results, parts)
    return TEMPLATES.render(
        "doubt.html",
        rows=[
            [group, *map(str, cells.counted(results, each))]
            for group, each in everything.items()
        ],
        on_deep_ensemble=on_deep_ensemble,
        on_dare=on_dare,
        most_rows=f"{MOST_ROWS:,}",
    )


def citycam(results: Results) -> Markup:
    """Return the section on CityCam, by defaults, raw, and with whole hours."""
    shown = {
        "With the library's defaults": goals.citycam("doubt"),
        "With the paper's recipe": goals.citycam("doubt-raw"),
        "With whole hours held out": goals.hours(),
    }
    parts = {
        title: [cells.part_cells(results, part) for part in each]
        for title, each in shown.items()
    }
    return TEMPLATES.render("doubt-citycam.html", parts=parts)


def detection(results: Results) -> Markup:
    """Return the section on pictures, by defaults and raw."""
    shown = {
        "With the library's defaults": goals.images("doubt"),
        "With the paper's recipe": goals.images("doubt-raw"),
    }
    parts = {
        title: [cells.part_cells(results, part) for part in each]
        for title, each in shown.items()
    }
    return TEMPLATES.render("doubt-detection.html", parts=parts)


def gaps(results: Results) -> Markup:
    """Return the section on UCI sets with a gap."""
    return TEMPLATES.render(
        "doubt-gaps.html",
        joined=cells.part_cells(results, goals.gaps()),
        each=cells.gaps_cells(results),
    )


def tables(results: Results) -> Markup:
    """Return the section on tables with shifts of their own."""
    title, best = goals.best_detector(results)
    return TEMPLATES.render(
        "doubt-tables.html",
        joined=cells.part_cells(results, goals.tables()),
        detected=cells.detection_cells(results),
        covered=cells.covered_cells(results),
        abouts={name: table.about for name, table in TABLES.items()},
        best=None if best.value is None else (title, best.text(2)),
    )
