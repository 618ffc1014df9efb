"""The sections on what the numbers show: agreement, where DARE loses, OOD errors."""

from __future__ import annotations

from markupsafe import Markup

from antireg.paper.report.entries import TWO_SDS, Entry
from antireg.paper.report.results import Results
from antireg.paper.report.sections import TEMPLATES
from antireg.paper.report.tables import DETECTION, own
from antireg.paper.report.verdicts import JUDGED, Verdict, guesses, losses, verdicts
from antireg.report import page
from antireg.report.page import Cells

EXPLAINED = {
    "citycam-weather": "Weather: on some rows log σ² grows without bound, and one such "
    "member ruins the NLL of the moment-matched Gaussian. The authors' scripts clip "
    "log σ² at 10 in predictions; compare the lines marked “clipped”.",
    "citycam-cameras": "Cameras: each seed draws its own five training cameras, which "
    "decide how hard the task is. The paper's standard deviation over seeds is too "
    "small for that; ours is larger. The lines “same five cameras” use the same five "
    "for all seeds.",
    "cifar10": "CIFAR-10: our features come from a public ResNet32, the paper's from "
    "its own. AUROC and accuracy depend more on these features than on the ensemble.",
    "fashion-mnist": "Fashion-MNIST: the paper's two AUROC columns may be swapped; see "
    "Two traps below.",
}
"""Why some numbers differ from the paper's, by study; shown where they do."""


def agreement(results: Results) -> Markup:
    """Return the section that compares DE and DARE with the paper, by column."""
    found = verdicts(results)
    parts = [
        [
            [_name(v), *(_words(v.entries[who]) for who in JUDGED)]
            for v in found
            if (v.part in DETECTION.parts) == is_picture
        ]
        for is_picture in (False, True)
    ]
    outside = dict.fromkeys(
        v.part.study
        for v in found
        if any(e.agrees is False for e in v.entries.values())
    )
    return TEMPLATES.render(
        "agreement.html",
        judged=[e.agrees for v in found if not v.clipped for e in v.entries.values()],
        parts=[Cells(["", *JUDGED], rows) for rows in parts],
        why=[EXPLAINED.get(study, f"{study}: not explained yet.") for study in outside],
    )


def lost(results: Results) -> Markup:
    """Return the section on columns where DARE is not the best."""
    return TEMPLATES.render("losses.html", found=list(losses(results)))


def degenerate(results: Results) -> Markup:
    """Return the section on whether DARE predicts better than a constant OOD."""
    found = guesses(results)
    shown = [{"the constant": guess.constant, **guess.entries} for guess in found]
    rows = [[name, *(own(each[name]) for each in shown)] for name in shown[0]]
    cells = Cells(["", *(guess.shift for guess in found)], rows)
    return TEMPLATES.render("degenerate.html", cells=cells, guesses=found)


def _name(verdict: Verdict) -> str:
    rows = "inside" if verdict.column.metric.startswith("test_") else ""
    task = verdict.part.title.removesuffix(" shift")
    words = (task, rows, verdict.column.title)
    return " ".join(filter(None, words)) + (", clipped" if verdict.clipped else "")


def _words(entry: Entry) -> str:
    if entry.agrees is None:
        return page.absent(entry.text)
    difference = entry.difference_text or "sd 0"
    numbers = [entry.text, page.wide("paper", entry.printed_text)]
    numbers += [entry.few] if entry.few else []
    if not entry.agrees:
        return page.stacked(page.far(f"{difference}, apart"), *numbers)
    is_within = entry.difference is not None and abs(entry.difference) <= TWO_SDS
    return page.stacked(f"{difference}, {'within' if is_within else 'near'}", *numbers)
