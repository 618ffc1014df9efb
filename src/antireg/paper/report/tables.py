"""The four tables: their columns, and how the page and the CSV files show them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace

from antireg.paper.data.uci_tables import NAMES as UCI
from antireg.paper.report.entries import (
    ACCURACY,
    AUROC,
    COVERAGE,
    ECE,
    MAE,
    NLL,
    Entry,
    Kind,
    best,
)
from antireg.paper.report.results import Results
from antireg.report import page
from antireg.report.page import Cells

HEADER = (
    *("task", "method", "metric", "seeds", "mean", "sd"),
    *("paper_mean", "paper_sd", "difference_in_paper_sd"),
)
CLIPPED = "_cut"
"""How the name of an NLL ends whose log σ² was clipped at 10, as in the authors'
scripts."""


@dataclass(frozen=True)
class Column:
    """One metric of every method, under a title."""

    title: str
    metric: str
    kind: Kind


@dataclass(frozen=True)
class Part:
    """One task of a table: a study and the metrics shown."""

    title: str
    study: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Table:
    """A table of the paper, or one like it."""

    name: str
    title: str
    parts: tuple[Part, ...]


METRICS = {NLL: "nll", ECE: "ece", MAE: "mae", COVERAGE: "coverage95"}
SHIFTS = (
    ("camera shift", "citycam-cameras", "other_cameras"),
    ("bigbus shift", "citycam-bigbus", "bigbus"),
    ("weather shift", "citycam-weather", "after_14h"),
)
TASKS = (*SHIFTS, ("same five cameras", "citycam-same-cameras", "other_cameras"))


def _errors(rows: str, kinds: tuple[Kind, ...], prefix: str = "") -> tuple[Column, ...]:
    """Return one column per kind of error on the named rows."""
    return tuple(
        Column(f"{prefix}{kind.title}", f"{rows}_{METRICS[kind]}", kind)
        for kind in kinds
    )


OUTSIDE = Table(
    "table-1-citycam-ood",
    "Table 1: CityCam, out of distribution",
    tuple(
        Part(title, study, _errors(rows, (NLL, ECE, MAE)))
        for title, study, rows in TASKS
    ),
)
INSIDE = Table(
    "table-2-citycam-inside",
    "Table 2: CityCam, in distribution",
    tuple(Part(title, study, _errors("test", (NLL, MAE))) for title, study, _ in TASKS),
)
DETECTION = Table(
    "table-3-detection",
    "Table 3: detection and accuracy",
    (
        Part(
            "CIFAR-10",
            "cifar10",
            (
                Column("SVHN", "svhn_auroc", AUROC),
                Column("CIFAR-100", "cifar100_auroc", AUROC),
                Column("accuracy", "accuracy", ACCURACY),
            ),
        ),
        Part(
            "Fashion-MNIST",
            "fashion-mnist",
            (
                Column("CIFAR-10", "cifar10_auroc", AUROC),
                Column("MNIST", "mnist_auroc", AUROC),
                Column("accuracy", "accuracy", ACCURACY),
            ),
        ),
    ),
)
GAPS = Table(
    "table-4-uci-gaps",
    "Table 4: UCI data with a gap",
    tuple(
        Part(
            name,
            f"uci-gap-{name}",
            tuple(
                column
                for kind in (NLL, ECE, COVERAGE, MAE)
                for rows, prefix in (("test", "inside "), ("gap", "gap "))
                for column in _errors(rows, (kind,), prefix)
            ),
        )
        for name in UCI
    ),
)
TABLES = (OUTSIDE, INSIDE, DETECTION, GAPS)


def entries(results: Results, part: Part, column: Column) -> dict[str, Entry]:
    """Return a column's numbers by contender."""
    (study,) = results.studies(part.study)
    return {
        c.name: results.entry(part.study, c.name, column.metric, column.kind)
        for c in study.contenders
    }


def clipped_entry(
    results: Results, part: Part, column: Column, contender: str
) -> Entry | None:
    """Return the NLL with clipped log σ², if it differs from the NLL without."""
    if column.kind is not NLL:
        return None
    whole = results.entry(part.study, contender, column.metric, column.kind)
    clipped = results.entry(part.study, contender, column.metric + CLIPPED, column.kind)
    if not clipped or clipped.text == whole.text:
        return None
    return replace(clipped, printed=whole.printed)


def part_cells(results: Results, part: Part) -> Cells:
    """Return one task: our numbers, the paper's and their difference."""
    columns = [(column, entries(results, part, column)) for column in part.columns]
    rows: list[list[str]] = []
    for contender in columns[0][1]:
        cells = [
            _cell(
                found[contender],
                contender in best(found),
                clipped_entry(results, part, column, contender),
                _printed_best(found, contender),
            )
            for column, found in columns
        ]
        rows.append([contender, *cells])
    return Cells([part.title, *(column.title for column, _ in columns)], rows)


def gaps_cells(results: Results) -> Cells:
    """Return all data sets in one table, the best method of each in bold."""
    rows: list[list[str]] = []
    for part in GAPS.parts:
        columns = [entries(results, part, column) for column in part.columns]
        if not any(any(found.values()) for found in columns):
            continue
        for contender in columns[0]:
            cells: list[str] = [
                page.strong(e.text) if contender in best(found) else own(e)
                for found in columns
                for e in (found[contender],)
            ]
            rows.append([f"{part.title}, {contender}", *cells])
    return Cells(["", *(column.title for column in GAPS.parts[0].columns)], rows)


def table_csv(results: Results, table: Table) -> str:
    """Return every number of a table, one per row, with the paper's beside it."""
    stream = io.StringIO()
    lines = csv.writer(stream, lineterminator="\n")
    lines.writerow(HEADER)
    for part in table.parts:
        for column in part.columns:
            for contender, entry in entries(results, part, column).items():
                name = (part.study, contender)
                lines.writerow((*name, column.metric, *_numbers(entry)))
                clipped = clipped_entry(results, part, column, contender)
                if clipped is not None:
                    metric = column.metric + CLIPPED
                    lines.writerow((*name, metric, *_numbers(clipped)))
    return stream.getvalue()


def own(entry: Entry) -> str:
    """Return our number, or the word that marks it as missing."""
    return entry.text if entry else page.absent(entry.text)


def _numbers(entry: Entry) -> Iterator[str]:
    yield str(len(entry.values))
    yield f"{entry.mean:.6g}" if entry else ""
    yield f"{entry.sd:.6g}" if len(entry.values) > 1 else ""
    for printed in entry.printed or ("", ""):
        yield str(printed)
    yield "" if entry.difference is None else f"{entry.difference:.2f}"


def _cell(entry: Entry, is_best: bool, clipped: Entry | None, paper_best: bool) -> str:
    lines = [page.strong(entry.text) if is_best else own(entry)]
    if entry.printed is not None:
        shown = page.wide("paper", entry.printed_text)
        lines.append(page.strong(shown) if paper_best else shown)
    if entry.difference_text:
        lines.append(_difference(entry))
    if clipped is not None:
        lines += ["clipped", clipped.text, _difference(clipped)]
    if entry.few and entry.printed is not None:
        lines.append(entry.few)
    return page.stacked(*lines)


def _difference(entry: Entry) -> str:
    text = entry.difference_text
    return text if entry.agrees or not text else page.far(text)


def _printed_best(found: dict[str, Entry], contender: str) -> bool:
    printed = {
        name: Entry(e.kind, [e.printed.mean]) for name, e in found.items() if e.printed
    }
    return contender in best(printed)
