"""What the numbers add up to: agreement with the paper, losses, worth outside."""

from __future__ import annotations

from antireg.paper.report.entries import TWO_SDS, Entry
from antireg.paper.report.results import Results
from antireg.paper.report.tables import DETECTION
from antireg.paper.report.verdicts import JUDGED, Verdict, guesses, losses, verdicts
from antireg.report import page
from antireg.report.page import Html

EXPLAINED = {
    "citycam-weather": "Weather: on some rows log σ² grows without bound, and one such "
    "member ruins the NLL of the moment-matched Gaussian. The authors' scripts cut log "
    "σ² at 10 when they predict; compare the lines marked cut.",
    "citycam-cameras": "Cameras: which five are known is drawn anew for each seed, and "
    "decides how hard the task is: see our spread over seeds beside the paper's, which "
    "is too small for that. The lines “same five cameras” keep them for all seeds.",
    "cifar10": "CIFAR-10: the features come from a public ResNet32, the paper's from "
    "its own. Areas and accuracy depend on these features more than on the ensemble.",
    "fashion-mnist": "Fashion-MNIST: the paper's two areas may be swapped; see both "
    "readings below.",
}
"""Why some numbers are not the paper's, by study; shown where that is so."""


def agreement(results: Results) -> Html:
    """Return the verdict for each column on DE and DARE."""
    found = verdicts(results)
    judged = [e.agrees for v in found if not v.cut for e in v.entries.values()]
    shown = []
    for is_picture in (False, True):
        rows: list[list[str]] = [
            [_name(v), *(_words(v.entries[who]) for who in JUDGED)]
            for v in found
            if (v.part in DETECTION.parts) == is_picture
        ]
        shown.append(page.table(["", *JUDGED], rows))
    outside = dict.fromkeys(
        v.part.study
        for v in found
        if any(e.agrees is False for e in v.entries.values())
    )
    why = [EXPLAINED.get(study, f"{study}: not explained yet.") for study in outside]
    return page.section(
        "Does it agree with the paper?",
        page.paragraph(
            f"{len(judged)} comparisons: {judged.count(True)} agree, "
            f"{judged.count(False)} do not, {judged.count(None)} have no rows yet. To "
            "agree is to be within two of the paper's sds or, as some of these are "
            "tiny, near: within 0.1 in NLL, 1.5 points in AUROC and accuracy."
        ),
        page.side_by_side(shown),
        *([page.bullets(why)] if why else []),
        name="agreement",
    )


def lost(results: Results) -> Html:
    """Return where DARE is not the best."""
    found = [page.labelled(what, f"{words}.") for what, words in losses(results)]
    text = (
        "Every column of our tables where DARE is not the best: its number, then the "
        "best one and whose that is. A loss smaller than DARE's own sd over seeds is "
        "said to be within it. Cells without rows are left out."
    )
    blocks = [page.bullets(found)] if found else [page.paragraph("None so far.")]
    return page.section(
        "Where DARE loses", page.paragraph(text), *blocks, name="losses"
    )


def degenerate(results: Results) -> Html:
    """Return whether DARE still predicts anything where it doubts."""
    found = guesses(results)
    shown = [{"the constant": guess.constant, **guess.entries} for guess in found]
    rows: list[list[str]] = []
    for name in shown[0]:
        column = [each[name] for each in shown]
        rows.append([name, *(e.text if e else page.absent(e.text) for e in column)])
    return page.section(
        "Is the prediction outside merely degenerate?",
        page.paragraph(
            "Large doubt would be cheap if the prediction were worthless. So here are "
            "the mean errors outside, in vehicles, beside that of one constant for all "
            "pictures: the median of the very counts that are to be predicted, which "
            "no method knows."
        ),
        page.side_by_side([page.table(["", *(g.shift for g in found)], rows)]),
        page.bullets([guess.words for guess in found]),
        name="degenerate",
    )


def _name(verdict: Verdict) -> str:
    rows = "inside" if verdict.column.metric.startswith("test_") else ""
    task = verdict.part.title.removesuffix(" shift")
    words = (task, rows, verdict.column.title)
    return " ".join(filter(None, words)) + (", cut" if verdict.cut else "")


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
