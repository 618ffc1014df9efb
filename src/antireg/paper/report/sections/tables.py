"""The sections with tables, each with notes on seeds and settings."""

from __future__ import annotations

from markupsafe import Markup

from antireg.paper.report.figures.figure import Figure
from antireg.paper.report.results import Line, Results
from antireg.paper.report.sections import TEMPLATES
from antireg.paper.report.tables import (
    DETECTION,
    GAPS,
    INSIDE,
    OUTSIDE,
    Table,
    clipped_entry,
    entries,
    gaps_cells,
    part_cells,
)
from antireg.paper.report.verdicts import won

SEARCHED = (
    "Settings of AnchorNet, MOD and NegCorr were searched on the validation rows of "
    "the first seed only; the other seeds use the same settings."
)


def compared(results: Results, table: Table, dots: Figure) -> Markup:
    """Return the section of one of the paper's tables, with our numbers."""
    return TEMPLATES.render(
        f"{table.name}.html",
        name=table.name,
        title=table.title,
        parts=[part_cells(results, part) for part in table.parts],
        notes=_notes(results, table),
        dots=dots,
    )


def gaps(results: Results) -> Markup:
    """Return the section of table 4, which the paper does not have."""
    return TEMPLATES.render(
        f"{GAPS.name}.html",
        name=GAPS.name,
        title=GAPS.title,
        won=won_by_column(results, GAPS),
        cells=gaps_cells(results),
        notes=_notes(results, GAPS),
    )


def won_by_column(results: Results, table: Table) -> str:
    """Return on how many tasks DARE is the best, by column."""
    counts = []
    for number, column in enumerate(table.parts[0].columns):
        found = (entries(results, p, p.columns[number]) for p in table.parts)
        n_won, n_whole = won(found)
        counts.append(f"{column.title} {n_won} of {n_whole}")
    return f"Data sets on which DARE is the best or tied: {', '.join(counts)}."


def seeds(results: Results, table: Table) -> str:
    """Return how many seeds there are in each cell."""
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
    return f"Seeds: {'; '.join(words)}{ending}. Missing ones are left out of the means."


def settings(results: Results, table: Table) -> list[str]:
    """Return the settings chosen for each method, by task."""
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


def clipped(results: Results, table: Table) -> str:
    """Return how clipping log σ², as the authors' scripts do, changes the NLL."""
    differs = any(
        clipped_entry(results, part, column, contender.name)
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
    how = "log σ² clipped at 10, as in the authors' scripts"
    if differs:
        return f"NLL is without clipping; “clipped” is with {how}."
    return f"NLL is without clipping; with {how}, every number is the same."


def _notes(results: Results, table: Table) -> list[str]:
    rivals = table is not GAPS
    likelihoods = table is not DETECTION
    notes = [seeds(results, table)]
    notes += [SEARCHED] if rivals else []
    notes += [clipped(results, table)] if likelihoods else []
    shown = [" ".join(notes)]
    if table in (OUTSIDE, DETECTION) and (chosen := settings(results, table)):
        shown += ["Settings, as a range where they differ between seeds:", *chosen]
    if table is INSIDE:
        shown += ["The fits and their settings are those of table 1."]
    return shown


def _count(line: Line) -> str:
    words = str(len(line.records)) if line.records else "none"
    return f"{words} ({len(line.diverged)} diverged)" if line.diverged else words
