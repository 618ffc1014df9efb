"""The section on two traps of the comparison: swapped columns, validation rows seen."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from antireg.paper.report.entries import ACCURACY, AUROC, Entry, Kind, number
from antireg.paper.report.results import Results
from antireg.paper.report.sections import TEMPLATES
from antireg.paper.report.tables import own
from antireg.paper.report.verdicts import OURS, swaps
from antireg.report import page
from antireg.report.page import Cells

LOSS = Kind("loss", digits=3)
SHARE = Kind("share", digits=2)
EPOCH = Kind("epoch", digits=0)
REFERENCE = "DE (MSE)"
UNSEEN, SEEN = "cifar10", "cifar10-seen"
ALWAYS_ON = 0.99


def traps(results: Results) -> Markup:
    """Return the section, with the evidence from the rows."""
    columns = {study: _validated(results, study) for study in (UNSEEN, SEEN)}
    found = list(columns.values())
    rows = [[name, *(own(each[name]) for each in found)] for name in found[0]]
    losses = [next(iter(each.values())) for each in found]
    controls = [results.entry(s, OURS, "last_control", SHARE) for s in columns]
    return TEMPLATES.render(
        "traps.html",
        swapped=_swapped(results),
        validated=Cells(["", "on unseen pictures (ours)", "on seen pictures"], rows),
        times=number(losses[0].mean / losses[1].mean, 1) if all(losses) else "",
        is_always_on=all(c and c.mean > ALWAYS_ON for c in controls),
    )


def _swapped(results: Results) -> dict[str, Any]:
    """Return how the paper's columns fit as printed and swapped; {} without rows."""
    found = swaps(results)
    if not found:
        return {}
    rows: list[list[str]] = []
    for swap in found:
        each = [number(d, 1) for d in (swap.printed, swap.swapped)]
        nearer = int(swap.swapped < swap.printed)
        each[nearer] = page.strong(each[nearer])
        pairs = zip(each, swap.points, strict=True)
        far = [page.stacked(d, f"({number(points, 1)})") for d, points in pairs]
        ours = [
            page.stacked(
                number(entry.mean, 1), page.wide("paper", str(entry.printed.mean))
            )
            for entry in swap.ours
            if entry.printed
        ]
        rows.append([swap.contender, *ours, *far])
    return {
        "in_sds": sum(s.swapped < s.printed for s in found),
        "in_points": sum(s.points[1] < s.points[0] for s in found),
        "printed": number(sum(s.printed for s in found) / len(found), 1),
        "swapped": number(sum(s.swapped for s in found) / len(found), 1),
        "cells": Cells(["", "CIFAR-10", "MNIST", "as printed", "swapped"], rows),
    }


def _validated(results: Results, study: str) -> dict[str, Entry]:
    """Return what the choice of validation rows led to, by name."""

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
