"""The summary at the top, and the last sections: what is missing, how it was made."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from antireg.paper.experiments.recipes import GROUPS
from antireg.paper.report.entries import NLL
from antireg.paper.report.results import Results
from antireg.paper.report.sections import TEMPLATES
from antireg.paper.report.tables import DETECTION, OUTSIDE, SHIFTS, entries
from antireg.paper.report.verdicts import verdicts, won


def short(results: Results) -> str:
    """Return a summary of two or three sentences, computed from the rows."""
    words = [_won(results)]
    judged = [
        entry.agrees
        for verdict in verdicts(results)
        if not verdict.clipped
        for entry in verdict.entries.values()
    ]
    words.append(
        f"DE and DARE agree with the paper in {judged.count(True)} of "
        f"{len(judged) - judged.count(None)} numbers compared."
    )
    n_missing = sum(wanted - done for _, done, wanted in _counts(results))
    if n_missing:
        words.append(f"{n_missing} runs are still missing and are marked as missing.")
    return " ".join(words)


def missing(results: Results) -> Markup:
    """Return the section that lists incomplete studies."""
    rows = [
        [name, f"{done} of {wanted}"]
        for name, done, wanted in _counts(results)
        if done < wanted
    ]
    return TEMPLATES.render("missing.html", rows=rows)


def made(results: Results) -> Markup:
    """Return the section on run times, versions, and how to repeat the runs."""
    fits = list(results.fits(results.studies()))
    rows, seen = [], set()
    for group, studies in GROUPS.items():
        fresh = [study for study in studies if study.recipe.name not in seen]
        seen |= {study.recipe.name for study in studies}
        done = list(results.fits(fresh))
        if done:
            time = duration(sum(fit.seconds for fit in done))
            rows.append([group, str(len(done)), time])
    total = duration(sum(fit.seconds for fit in fits))
    return TEMPLATES.render(
        "made.html",
        n_fits=len(fits),
        time=total,
        rows=[*rows, ["all", str(len(fits)), total]],
        versions=list(dict.fromkeys(fit.versions for fit in fits)),
    )


def duration(seconds: float) -> str:
    """Return a time in a readable unit."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def _won(results: Results) -> str:
    """Return in how many OOD tasks DARE is the best, of those with all methods."""
    counts = []
    shifts = OUTSIDE.parts[: len(SHIFTS)]  # on the same cameras only two are compared
    for parts, name in (
        (shifts, "CityCam shifts by NLL"),
        (DETECTION.parts, "detections"),
    ):
        columns = [
            entries(results, part, column)
            for part in parts
            for column in part.columns
            if column.kind is NLL or "auroc" in column.metric
        ]
        n_won, n_whole = won(columns)
        if n_whole:
            counts.append(f"{n_won} of {n_whole} {name}")
    return f"DARE is the best in {' and '.join(counts)}." if counts else ""


def _counts(results: Results) -> Iterator[tuple[str, int, int]]:
    """Yield each study's name, its number of finished runs and of planned runs."""
    for study in results.studies():
        lines = results.lines(study)
        done = sum(min(line.done, line.wanted) for line in lines)
        yield study.name, done, sum(line.wanted for line in lines)
