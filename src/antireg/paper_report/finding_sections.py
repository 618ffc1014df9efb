"""What the numbers add up to: agreement with the paper, losses, the two traps."""

from __future__ import annotations

from antireg import page
from antireg.page import Html
from antireg.paper_report.entries import Entry, Kind, number
from antireg.paper_report.results import Results
from antireg.paper_report.tables import DETECTION
from antireg.paper_report.verdicts import (
    JUDGED,
    OURS,
    Verdict,
    guesses,
    losses,
    readings,
    verdicts,
)

EXPLAINED = {
    "cifar10": "CIFAR-10: the features come from a public ResNet32, the paper's from "
    "its own. Areas and accuracy depend on these features more than on the ensemble.",
    "fashion-mnist": "Fashion-MNIST: the paper's two areas look swapped; see the two "
    "readings below.",
}
"""Why some numbers are not the paper's, by study; shown where that is so."""

LOSS = Kind("loss", digits=3)


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
            f"Of {len(judged)} comparisons, {judged.count(True)} are within two of the "
            f"paper's sds, {judged.count(False)} are not, {judged.count(None)} have no "
            "rows yet. Where the sd is tiny, a difference of 0.1 in NLL or of 1.5 "
            "points in AUROC and accuracy counts as none."
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


def traps(results: Results) -> Html:
    """Return the two things that had to be settled before comparing."""
    return page.section(
        "Two traps, settled",
        page.heading("Fashion-MNIST: are the paper's two areas swapped?"),
        *_swapped(results),
        page.heading("CIFAR-10: which rows validate?"),
        *_validation(results),
        name="traps",
    )


def _swapped(results: Results) -> list[Html]:
    found = readings(results)
    if not found:
        return [page.paragraph("No rows yet.")]
    rows = []
    for reading in found:
        each = [f"{number(d, 1)} sd" for d in (reading.printed, reading.swapped)]
        points = [f"({number(d, 1)})" for d in reading.points]
        nearer = int(reading.swapped < reading.printed)
        cells = [page.stacked(*pair) for pair in zip(each, points, strict=True)]
        cells[nearer] = page.stacked(page.strong(each[nearer]), points[nearer])
        first, second = reading.ours
        ours = [
            page.stacked(entry.text, page.wide("paper", entry.printed_text))
            for entry in (first, second)
        ]
        rows.append([reading.contender, *ours, *cells])
    n_swapped = sum(r.swapped < r.printed for r in found)
    by_points = sum(r.points[1] < r.points[0] for r in found)
    means = [
        sum(d) / len(found)
        for d in zip(*((r.printed, r.swapped) for r in found), strict=True)
    ]
    header = ["", "CIFAR-10", "MNIST", "as printed (points)", "swapped (points)"]
    return [
        page.paragraph(
            "Distance of our two areas from the paper's, with its columns as printed "
            f"and the other way round. Swapped is nearer for {n_swapped} of "
            f"{len(found)} methods counted in sds, and for {by_points} counted in "
            f"points; over all, {number(means[1], 1)} sds swapped against "
            f"{number(means[0], 1)} as printed."
        ),
        page.side_by_side([page.table(header, rows)]),
    ]


def _validation(results: Results) -> list[Html]:
    text = (
        "The public ResNet32 was trained on all 50,000 training pictures, so on them "
        "its features look perfect: a validation set cut from them makes τ far too "
        "tight. Ours are 1000 of the 10,000 test pictures; the tests are on the other "
        "9000."
    )
    rows: list[list[str]] = []
    for name in ("DE (MSE)", OURS):
        line = results.line("cifar10", name)
        if not line.records:
            continue
        taus = [
            m.get_params(deep=False).get("threshold") for m in line.methods.values()
        ]
        tau = Entry(LOSS, [float(t) for t in taus if t is not None])
        rows.append(
            [
                name,
                results.entry("cifar10", name, "validation_loss", LOSS).text,
                tau.text if tau else "",
                results.entry("cifar10", name, "last_control", LOSS).text
                if tau
                else "",
            ]
        )
    if not rows:
        return [page.paragraph(text), page.paragraph("No rows yet.")]
    header = ["", "validation loss", "τ", "share of λ = 1 at the end"]
    return [
        page.paragraph(text),
        page.side_by_side([page.table(header, rows)]),
        page.note(
            "Mean (sd) over seeds. With these rows τ binds if the share of λ = 1 is "
            "neither 0 nor 1. What a validation set of training pictures would have "
            "done is not in the rows."
        ),
    ]


def _name(verdict: Verdict) -> str:
    rows = "inside" if verdict.column.metric.startswith("test_") else ""
    task = verdict.part.title.removesuffix(" shift")
    words = (task, rows, verdict.column.title)
    return " ".join(filter(None, words)) + (", cut" if verdict.cut else "")


def _words(entry: Entry) -> str:
    if entry.agrees is None:
        return page.absent(entry.text)
    difference = entry.difference_text or "sd 0"
    numbers = (entry.text, page.wide("paper", entry.printed_text))
    if entry.agrees:
        return page.stacked(f"{difference}, within", *numbers)
    return page.stacked(page.far(f"{difference}, not within"), *numbers)
