"""The tables on the page, and under each what its numbers rest on."""

from __future__ import annotations

from markupsafe import Markup

from antireg.paper.report.exhibits import TEMPLATES, Exhibit
from antireg.paper.report.results import Line, Results
from antireg.paper.report.tables import (
    DETECTION,
    GAPS,
    INSIDE,
    OUTSIDE,
    Table,
    cut_entry,
    entries,
    gaps_cells,
    part_cells,
)
from antireg.paper.report.verdicts import won

SEARCHED = (
    "Settings of AnchorNet, MOD and NegCorr were searched on the first seed only, by "
    "the validation rows; the other seeds take them over."
)


def compared(results: Results, table: Table, dots: Exhibit) -> Markup:
    """Return a table of the paper, ours beside its own."""
    return TEMPLATES.render(
        f"{table.name}.html",
        name=table.name,
        title=table.title,
        parts=[part_cells(results, part) for part in table.parts],
        notes=_notes(results, table),
        dots=dots,
    )


def gaps(results: Results) -> Markup:
    """Return table 4, which the paper does not have."""
    return TEMPLATES.render(
        f"{GAPS.name}.html",
        name=GAPS.name,
        title=GAPS.title,
        won=won_by_column(results, GAPS),
        cells=gaps_cells(results),
        notes=_notes(results, GAPS),
    )


def won_by_column(results: Results, table: Table) -> str:
    """Return on how many tasks DARE is the best, column by column."""
    counts = []
    for number, column in enumerate(table.parts[0].columns):
        found = (entries(results, p, p.columns[number]) for p in table.parts)
        n_won, n_whole = won(found)
        counts.append(f"{column.title} {n_won} of {n_whole}")
    return f"Data sets on which DARE is the best, alone or not: {', '.join(counts)}."


def seeds(results: Results, table: Table) -> str:
    """Return how many seeds the cells have."""
    words = []
    for part in table.parts:
        (study,) = results.studies(part.study)
        lines = results.lines(study)
        if all(not line.done for line in lines):
            words.append(f"{part.title} none yet")
        elif any(line.done != line.wanted or line.diverged for line in lines):
            counts = ", ".join(f"{x.contender.name} {_count(x)}" for x in lines)
            words.append(f"{part.title} {counts}")
    n_seeds = results.line(table.parts[0].study, "DARE").wanted
    if not words:
        return f"Seeds: {n_seeds} in every cell."
    complete = len(words) < len(table.parts)
    ending = f"; {n_seeds} in every other cell" if complete else ""
    return f"Seeds: {'; '.join(words)}{ending}. Missing numbers are left out."


def settings(results: Results, table: Table) -> list[str]:
    """Return what was chosen for each method, task by task."""
    found = []
    for part in table.parts:
        (study,) = results.studies(part.study)
        chosen = [
            f"{line.contender.name}: {line.settings}"
            for line in results.lines(study)
            if line.settings
        ]
        if chosen:
            found.append(f"{part.title}: {'; '.join(chosen)}")
    return found


def cut(results: Results, table: Table) -> str:
    """Return what the scripts' cut of log σ² does to the likelihoods."""
    differs = any(
        cut_entry(results, part, column, contender.name)
        for part in table.parts
        for column in part.columns
        for contender in results.studies(part.study)[0].contenders
    )
    if not any(
        entries(results, part, column)["DARE"]
        for part in table.parts
        for column in part.columns
    ):
        return ""
    how = "log σ² cut at 10, as the authors' scripts do when they predict"
    if differs:
        return f"NLL is of the prediction as it is; “cut” is with {how}."
    return (
        f"NLL is of the prediction as it is; with {how}, every number reads the same."
    )


def _notes(results: Results, table: Table) -> list[str]:
    rivals = table is not GAPS
    likelihoods = table is not DETECTION
    notes = [seeds(results, table)]
    notes += [SEARCHED] if rivals else []
    notes += [cut(results, table)] if likelihoods else []
    shown = [" ".join(notes)]
    if table in (OUTSIDE, DETECTION) and (chosen := settings(results, table)):
        shown += ["Settings, with their range over seeds where they vary:", *chosen]
    if table is INSIDE:
        shown += ["The fits, and so the settings, are those of table 1."]
    return shown


def _count(line: Line) -> str:
    words = str(len(line.records)) if line.records else "none"
    return f"{words} ({len(line.diverged)} diverged)" if line.diverged else words
