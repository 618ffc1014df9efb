"""The four tables: which numbers they hold, and how the page and a CSV show them."""

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
CUT = "_cut"
"""A likelihood whose log σ² was cut at 10, as the authors' scripts do."""


@dataclass(frozen=True)
class Column:
    """One number of every method; `title` stands above it."""

    title: str
    metric: str
    kind: Kind


@dataclass(frozen=True)
class Part:
    """One task of a table: a study, and what is shown of it."""

    title: str
    study: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Table:
    """A table of the paper, or one more of its form."""

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


def cut_entry(
    results: Results, part: Part, column: Column, contender: str
) -> Entry | None:
    """Return the likelihood that was cut, where it reads otherwise than as it is."""
    if column.kind is not NLL:
        return None
    whole = results.entry(part.study, contender, column.metric, column.kind)
    cut = results.entry(part.study, contender, column.metric + CUT, column.kind)
    if not cut or cut.text == whole.text:
        return None
    return replace(cut, printed=whole.printed)


def part_cells(results: Results, part: Part) -> Cells:
    """Return one task: ours, and in small print the paper's and the difference."""
    columns = [(column, entries(results, part, column)) for column in part.columns]
    rows: list[list[str]] = []
    for contender in columns[0][1]:
        cells = [
            _cell(
                found[contender],
                contender in best(found),
                cut_entry(results, part, column, contender),
                _printed_best(found, contender),
            )
            for column, found in columns
        ]
        rows.append([contender, *cells])
    return Cells([part.title, *(column.title for column, _ in columns)], rows)


def gaps_cells(results: Results, table: Table = GAPS) -> Cells:
    """Return data sets below each other; the best method of each stands out."""
    rows: list[list[str]] = []
    for part in table.parts:
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
    return Cells(["", *(column.title for column in table.parts[0].columns)], rows)


def table_csv(results: Results, table: Table) -> str:
    """Return every number of a table, one to a row, with the paper's beside it."""
    stream = io.StringIO()
    lines = csv.writer(stream, lineterminator="\n")
    lines.writerow(HEADER)
    for part in table.parts:
        for column in part.columns:
            for contender, entry in entries(results, part, column).items():
                name = (part.study, contender)
                lines.writerow((*name, column.metric, *_numbers(entry)))
                cut = cut_entry(results, part, column, contender)
                if cut is not None:
                    lines.writerow((*name, column.metric + CUT, *_numbers(cut)))
    return stream.getvalue()


def own(entry: Entry) -> str:
    """Return ours, or what stands where it is missing."""
    return entry.text if entry else page.absent(entry.text)


def _numbers(entry: Entry) -> Iterator[str]:
    yield str(len(entry.values))
    yield f"{entry.mean:.6g}" if entry else ""
    yield f"{entry.sd:.6g}" if len(entry.values) > 1 else ""
    for printed in entry.printed or ("", ""):
        yield str(printed)
    yield "" if entry.difference is None else f"{entry.difference:.2f}"


def _cell(entry: Entry, is_best: bool, cut: Entry | None, paper_best: bool) -> str:
    lines = [page.strong(entry.text) if is_best else own(entry)]
    if entry.printed is not None:
        shown = page.wide("paper", entry.printed_text)
        lines.append(page.strong(shown) if paper_best else shown)
    if entry.difference_text:
        lines.append(_difference(entry))
    if cut is not None:
        lines += [f"cut {cut.text}", _difference(cut)]
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
