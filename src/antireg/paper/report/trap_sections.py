"""Two things to settle before comparing: swapped columns, and rows seen before."""

from __future__ import annotations

from antireg.paper.report.entries import ACCURACY, AUROC, Entry, Kind, number
from antireg.paper.report.results import Results
from antireg.paper.report.verdicts import OURS, readings
from antireg.report import page
from antireg.report.page import Html

LOSS = Kind("loss", digits=3)
SHARE = Kind("share", digits=2)
EPOCH = Kind("epoch", digits=0)
REFERENCE = "DE (MSE)"
UNSEEN, SEEN = "cifar10", "cifar10-seen"
ALWAYS_ON = 0.99
NOT_BOUND = (
    "Neither way is as it should be: λ is still on for all batches at the end, since "
    "the control watches the training loss, and training pictures look perfect too. "
    "What holds DARE's weights back here is only the number of epochs."
)


def traps(results: Results) -> Html:
    """Return both, with the evidence of the rows."""
    return page.section(
        "Two traps",
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
    rows: list[list[str]] = []
    for reading in found:
        each = [number(d, 1) for d in (reading.printed, reading.swapped)]
        nearer = int(reading.swapped < reading.printed)
        each[nearer] = page.strong(each[nearer])
        pairs = zip(each, reading.points, strict=True)
        far = [page.stacked(d, f"({number(points, 1)})") for d, points in pairs]
        ours = [
            page.stacked(
                number(entry.mean, 1), page.wide("paper", str(entry.printed.mean))
            )
            for entry in reading.ours
            if entry.printed
        ]
        rows.append([reading.contender, *ours, *far])
    in_sds = sum(r.swapped < r.printed for r in found)
    in_points = sum(r.points[1] < r.points[0] for r in found)
    printed = sum(r.printed for r in found) / len(found)
    swapped = sum(r.swapped for r in found) / len(found)
    header = ["", "CIFAR-10", "MNIST", "as printed", "swapped"]
    return [
        page.paragraph(
            "Distance of our two areas from the paper's, in its sds, with its two "
            "columns as printed and the other way round (below, in points). Swapped is "
            f"nearer for {in_sds} of {len(found)} methods in sds, and for {in_points} "
            f"in points; on average {number(swapped, 1)} sds away swapped, "
            f"{number(printed, 1)} as printed."
        ),
        page.side_by_side([page.table(header, rows)]),
    ]


def _validation(results: Results) -> list[Html]:
    text = (
        "The public ResNet32 was trained on all 50,000 training pictures, so on them "
        "its features look perfect. A validation set cut from them, as the paper cuts "
        "its own, makes τ far too tight. Ours are 1000 of the 10,000 test pictures; "
        "the tests are on the other 9000. Below, both ways side by side."
    )
    columns = {study: _validated(results, study) for study in (UNSEEN, SEEN)}
    rows: list[list[str]] = [
        [name, *(c[name].text if c[name] else page.absent("missing") for c in found)]
        for found in (list(columns.values()),)
        for name in found[0]
    ]
    blocks = [
        page.paragraph(text),
        page.side_by_side(
            [page.table(["", "on unseen pictures (ours)", "on seen pictures"], rows)]
        ),
    ]
    losses = [next(iter(found.values())) for found in columns.values()]
    if all(losses):
        times = losses[0].mean / losses[1].mean
        words = f"Seen pictures make the validation loss {number(times, 1)} times "
        blocks.append(page.paragraph(f"{words}smaller than it is, and τ with it."))
    controls = [results.entry(s, OURS, "last_control", SHARE) for s in columns]
    if all(control and control.mean > ALWAYS_ON for control in controls):
        blocks.append(page.paragraph(NOT_BOUND))
    blocks.append(page.note("Mean (sd) over seeds; on seen pictures, one seed."))
    return blocks


def _validated(results: Results, study: str) -> dict[str, Entry]:
    """Return what came of validating so."""

    def of(contender: str, metric: str, kind: Kind) -> Entry:
        return results.entry(study, contender, metric, kind)

    methods = results.line(study, OURS).methods.values()
    taus = [float(m.get_params(deep=False)["threshold"]) for m in methods]
    return {
        f"validation loss, {REFERENCE}": of(REFERENCE, "validation_loss", LOSS),
        "DARE: τ": Entry(LOSS, taus),
        "DARE: λ at the end": of(OURS, "last_control", SHARE),
        "DARE: kept epoch": of(OURS, "kept_epoch", EPOCH),
        "DARE: SVHN": of(OURS, "svhn_auroc", AUROC),
        "DARE: CIFAR-100": of(OURS, "cifar100_auroc", AUROC),
        "DARE: accuracy": of(OURS, "accuracy", ACCURACY),
    }
