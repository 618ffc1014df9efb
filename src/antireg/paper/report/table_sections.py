"""The tables on the page, and under each what its numbers rest on."""

from __future__ import annotations

from antireg.paper.report.exhibits import Exhibit
from antireg.paper.report.results import Line, Results
from antireg.paper.report.tables import (
    DETECTION,
    GAPS,
    INSIDE,
    OUTSIDE,
    Table,
    cut_entry,
    entries,
    gaps_html,
    part_html,
)
from antireg.paper.report.verdicts import won
from antireg.report import page
from antireg.report.page import Html

READ = (
    "Each cell is ours, mean (sd) over seeds; below it the paper's, and how far ours "
    "is from it in the paper's sds, in orange where that is too far (see the "
    "verdicts). The best of each column is bold, and so is the paper's best."
)
SEARCHED = (
    "Settings of AnchorNet, MOD and NegCorr were searched on the first seed only, by "
    "the validation rows; the other seeds take them over."
)
DOTS = (
    "The same numbers as dots: ours above, the paper's below, with bars of one sd. "
    "Where bars overlap, the order of two methods says little."
)


def outside(results: Results, dots: Exhibit) -> Html:
    """Return table 1."""
    text = (
        "Counting vehicles in pictures of cameras, weather or buses never seen in "
        "training. NLL and ECE, the calibration error, are those of the paper; MAE "
        "is the mean error in vehicles. Lower is better throughout. Which five cameras "
        "are known is drawn anew for each seed in the first part, and the same for all "
        "seeds in the last; both are compared with the paper's one column."
    )
    return _section(results, OUTSIDE, text, dots)


def inside(results: Results, dots: Exhibit) -> Html:
    """Return table 2."""
    text = (
        "The same ensembles on held-out pictures like those of training. DARE trades "
        "some of this for its doubts elsewhere: τ lets its loss be a quarter worse."
    )
    return _section(results, INSIDE, text, dots)


def detection(results: Results, dots: Exhibit) -> Html:
    """Return table 3."""
    text = (
        "Trained on one set of pictures, shown another: AUROC in percent of telling "
        "the other apart by the ensemble's own doubt. Higher is better. The paper's "
        "two Fashion-MNIST areas are compared here as printed; more on that below."
    )
    return _section(results, DETECTION, text, dots)


def gaps(results: Results) -> Html:
    """Return table 4, which the paper does not have."""
    text = (
        "The middle third of one feature is taken away before training: the gap. "
        "Mean (sd) over the features whose gap was tried, one per seed; trained with "
        "the library's defaults. Good is a coverage near 95\N{NO-BREAK SPACE}%, in the "
        "gap too; NLL and MAE are in the units of each data set. The paper has no such "
        "table."
    )
    blocks = [page.paragraph(text)]
    studies = results.studies("uci-gaps")
    if any(line.records for study in studies for line in results.lines(study)):
        blocks += [page.paragraph(won_by_column(results, GAPS)), gaps_html(results)]
    blocks += _notes(results, GAPS)
    return page.section(GAPS.title, *blocks, name=GAPS.name)


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


def _section(results: Results, table: Table, text: str, dots: Exhibit) -> Html:
    parts = [part_html(results, part) for part in table.parts]
    return page.section(
        table.title,
        page.paragraph(text),
        page.note(READ if table is OUTSIDE else "To be read as table 1."),
        page.side_by_side(parts),
        *_notes(results, table),
        dots.html(DOTS),
        name=table.name,
    )


def _notes(results: Results, table: Table) -> list[Html]:
    rivals = table is not GAPS
    likelihoods = table is not DETECTION
    notes = [seeds(results, table)]
    notes += [SEARCHED] if rivals else []
    notes += [cut(results, table)] if likelihoods else []
    blocks = [page.note(" ".join(notes))]
    if table in (OUTSIDE, DETECTION) and (chosen := settings(results, table)):
        blocks += [page.note("Settings, with their range over seeds where they vary:")]
        blocks += [page.note(words) for words in chosen]
    if table is INSIDE:
        blocks += [page.note("The fits, and so the settings, are those of table 1.")]
    return blocks


def _count(line: Line) -> str:
    words = str(len(line.records)) if line.records else "none"
    return f"{words} ({len(line.diverged)} diverged)" if line.diverged else words
