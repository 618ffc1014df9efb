"""From rows to a folder: the page, each figure as SVG, each table as CSV."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from antireg.disk.atomic import write_whole
from antireg.paper.experiments.rows import Book
from antireg.paper.report import (
    ending_sections,
    figure_sections,
    finding_sections,
    table_sections,
    trap_sections,
)
from antireg.paper.report.exhibits import (
    TEMPLATES,
    Exhibit,
    deltas,
    lambdas,
    table_dots,
)
from antireg.paper.report.results import Results
from antireg.paper.report.tables import DETECTION, INSIDE, OUTSIDE, TABLES, table_csv
from antireg.paper.report.toy_exhibits import (
    inside_members,
    line_bands,
    ood_maps,
    uncertainty_maps,
    water,
)

COMPARED = {"outside": OUTSIDE, "inside": INSIDE, "detection": DETECTION}
EXHIBITS: dict[str, Callable[[Results], Exhibit]] = {
    "uncertainty_maps": uncertainty_maps,
    "ood_maps": ood_maps,
    "line_bands": line_bands,
    "inside_members": inside_members,
    "water": water,
    "lambdas": lambdas,
    "deltas": deltas,
    **{name: partial(table_dots, table=table) for name, table in COMPARED.items()},
}
CONTENTS = {
    OUTSIDE.name: "CityCam outside",
    INSIDE.name: "CityCam inside",
    DETECTION.name: "Detection",
    "agreement": "Agreement",
    "losses": "Where DARE loses",
    "degenerate": "Degenerate?",
    "traps": "Two traps",
    "table-4-uci-gaps": "UCI gaps",
    "two-moons": "Moons",
    "line": "Line",
    "inside": "Inside a member",
    "water": "Theorem 1",
    "lambda": "λ",
    "delta": "δ",
    "missing": "Missing",
    "made": "How it was made",
}


def write(rows: Path, folder: Path) -> dict[str, int]:
    """Write the report of the rows in a folder; return how much of what there is.

    Args:
        rows: Folder of CSV files.
        folder: Where to; what is there under the same names is replaced.
    """
    results = Results(Book(rows))
    exhibits = {name: draw(results) for name, draw in EXHIBITS.items()}
    files = {
        f"figures/{name}.svg": picture.file()
        for exhibit in exhibits.values()
        for name, picture in exhibit.pictures.items()
    }
    n_figures = len(files)
    for table in TABLES:
        files[f"tables/{table.name}.csv"] = table_csv(results, table).encode()
    files["index.html"] = html(results, exhibits).encode()
    for name, content in files.items():
        write_whole(folder / name, content)
    return {"figures": n_figures, "tables": len(TABLES)}


def html(results: Results, exhibits: dict[str, Exhibit]) -> str:
    """Return the page."""
    sections = [
        *(
            table_sections.compared(results, table, exhibits[name])
            for name, table in COMPARED.items()
        ),
        finding_sections.agreement(results),
        finding_sections.lost(results),
        finding_sections.degenerate(results),
        trap_sections.traps(results),
        table_sections.gaps(results),
        *figure_sections.toys(results, exhibits),
        *figure_sections.training(results, exhibits),
        ending_sections.missing(results),
        ending_sections.made(results),
    ]
    short = ending_sections.short(results)
    return TEMPLATES.render(
        "index.html", short=short, contents=CONTENTS, sections=sections
    )
