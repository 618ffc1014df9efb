"""Writes the report of some rows: the page, each figure as SVG, each table as CSV."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from antireg.disk.atomic import write_whole
from antireg.paper.experiments.rows import Book
from antireg.paper.report import sections
from antireg.paper.report.doubt.cells import NAME as DOUBT
from antireg.paper.report.doubt.cells import goals_csv
from antireg.paper.report.figures.experiments import deltas, lambdas, table_dots
from antireg.paper.report.figures.figure import Figure
from antireg.paper.report.figures.toys import (
    bands,
    inside_members,
    one_each,
    ood_map,
    uncertainty_map,
    water,
)
from antireg.paper.report.results import Results
from antireg.paper.report.sections import doubt, ending, findings, tables, traps
from antireg.paper.report.sections.figures import toys, training
from antireg.paper.report.tables import DETECTION, INSIDE, OUTSIDE, TABLES, table_csv

MOONS, LINE = "two-moons", "one-dimensional"
COMPARED = {"outside": OUTSIDE, "inside": INSIDE, "detection": DETECTION}
FIGURES: dict[str, Callable[[Results], Figure]] = {
    "uncertainty_maps": partial(
        one_each, study=MOONS, name=f"{MOONS}-uncertainty", draw=uncertainty_map
    ),
    "ood_maps": partial(one_each, study=MOONS, name=f"{MOONS}-ood", draw=ood_map),
    "line_bands": partial(one_each, study=LINE, name=LINE, draw=bands),
    "inside_members": inside_members,
    "water": water,
    "lambdas": lambdas,
    "deltas": deltas,
    **{name: partial(table_dots, table=table) for name, table in COMPARED.items()},
}
CONTENTS = {
    OUTSIDE.name: "CityCam outside",
    INSIDE.name: "CityCam inside",
    "doubt-citycam": "CityCam with doubt",
    DETECTION.name: "Detection",
    "doubt-detection": "Detection with doubt",
    "doubt-tables": "Other tables",
    "doubt": "What was wanted",
    "agreement": "Agreement",
    "losses": "Where DARE loses",
    "degenerate": "Degenerate?",
    "traps": "Two traps",
    "table-4-uci-gaps": "UCI gaps",
    "doubt-gaps": "UCI gaps with doubt",
    "two-moons": "Moons",
    "line": "Line",
    "inside": "Inside a member",
    "water": "Theorem 1",
    "lambda": "λ",
    "delta": "δ",
    "missing": "Missing",
    "made": "How it was made",
}
"""Title of each section in the table of contents, by its id."""


def write(rows: Path, folder: Path) -> dict[str, int]:
    """Write the report; return how many figures and tables it has.

    Args:
        rows: Folder of CSV files.
        folder: Where to write; existing files of the same names are replaced.
    """
    results = Results(Book(rows))
    figures = {name: draw(results) for name, draw in FIGURES.items()}
    files = {
        f"figures/{name}.svg": picture.file()
        for figure in figures.values()
        for name, picture in figure.pictures.items()
    }
    n_figures = len(files)
    for table in TABLES:
        files[f"tables/{table.name}.csv"] = table_csv(results, table).encode()
    files[f"tables/{DOUBT}.csv"] = goals_csv(results).encode()
    files["index.html"] = html(results, figures).encode()
    for name, content in files.items():
        write_whole(folder / name, content)
    return {"figures": n_figures, "tables": len(TABLES) + 1}


def html(results: Results, figures: dict[str, Figure]) -> str:
    """Return the page."""
    outside, inside, detection = (
        tables.compared(results, table, figures[name])
        for name, table in COMPARED.items()
    )
    shown = [
        outside,
        inside,
        doubt.citycam(results),
        detection,
        doubt.detection(results),
        doubt.tables(results),
        doubt.summary(results),
        findings.agreement(results),
        findings.lost(results),
        findings.degenerate(results),
        traps.traps(results),
        tables.gaps(results),
        doubt.gaps(results),
        *toys(results, figures),
        *training(results, figures),
        ending.missing(results),
        ending.made(results),
    ]
    short = ending.short(results)
    return sections.TEMPLATES.render(
        "index.html", short=short, contents=CONTENTS, sections=shown
    )
