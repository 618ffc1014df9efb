"""The sections with figures, each with a sentence on what to see in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from antireg.paper.experiments.pictures import FAR, STRANGER
from antireg.paper.report.entries import Kind, number, percent
from antireg.paper.report.figures.figure import Figure
from antireg.paper.report.figures.toys import N_LAYERS, TOYS, layers
from antireg.paper.report.results import Results, points
from antireg.paper.report.sections import TEMPLATES
from antireg.paper.report.tables import own
from antireg.report.page import Cells

PERCENT = Kind("percent", digits=1, scale=100.0)
THREE_DIGITS = Kind("three digits", digits=3)
WEAK = 20
"""How many components of least variance the paper looks at, of 100."""


def toys(results: Results, figures: Mapping[str, Figure]) -> list[Markup]:
    """Return the sections on the paper's small problems and on theorem 1."""
    moons = _numbers(
        results,
        "two-moons",
        ("far_flagged", "far flagged, %", PERCENT),
        ("far_auroc", "far AUROC, %", PERCENT),
        ("false_alarms", "false alarms, %", PERCENT),
        ("accuracy", "accuracy, %", PERCENT),
    )
    line = _numbers(
        results,
        "one-dimensional",
        ("covered", "truth inside ±2σ, % of the line", PERCENT),
        ("test_median_std", "median σ at the data", THREE_DIGITS),
        ("test_rmse", "RMSE at the data", THREE_DIGITS),
    )
    contexts: dict[str, dict[str, Any]] = {
        "two_moons": {"cells": moons, "far": f"{FAR:g}", "is_near": _is_near(results)},
        "line": {"cells": line},
        "inside": {
            "stranger": [number(value, 1) for value in STRANGER],
            "weak": _weak(results),
        },
        "water": {"spent": _spent(results)},
    }
    return _rendered(contexts, figures)


def training(results: Results, figures: Mapping[str, Figure]) -> list[Markup]:
    """Return the sections on λ and δ, measured on CityCam."""
    return _rendered({"lambda": {"ending": _ends(results)}, "delta": {}}, figures)


def _rendered(
    contexts: Mapping[str, Mapping[str, Any]], figures: Mapping[str, Figure]
) -> list[Markup]:
    return [
        TEMPLATES.render(f"{name}.html", figures=figures, **values)
        for name, values in contexts.items()
    ]


def _numbers(results: Results, study: str, *columns: tuple[str, str, Kind]) -> Cells:
    rows = [
        [
            name,
            *(own(results.entry(study, name, metric, k)) for metric, _, k in columns),
        ]
        for name in TOYS
    ]
    return Cells(["", *(title for _, title, _ in columns)], rows)


def _is_near(results: Results) -> bool:
    """Return whether DE (MSE) flags nearly as many far points as DARE does."""
    shares = [
        results.entry("two-moons", name, "far_flagged", PERCENT)
        for name in ("DE (MSE)", "DARE")
    ]
    return all(shares) and shares[0].mean >= shares[1].mean - 2


def _weak(results: Results) -> str:
    """Return how components that hardly vary in training react to the far point."""
    record = results.record("two-moons", "DARE")
    if record is None:
        return "No rows yet."
    last = layers(record)[N_LAYERS]
    share = last["stranger"][-WEAK:].sum() / last["stranger"].sum()
    ratio = last["weight"][-WEAK:].mean() / last["weight"].mean()
    words = "as" if share >= WEAK / len(last["stranger"]) else "unlike"
    return (
        f"In layer {N_LAYERS} the {WEAK} components of least variance have "
        f"{number(ratio, 1)} times the mean weight and {percent(share)} of the far "
        f"point's activation, {words} in the paper's figure, where the far point is "
        "large there."
    )


def _ends(results: Results) -> str:
    """Return how the controlled training ended."""
    line = results.line("lambda", "controlled λ")
    if not line.records:
        return "No rows yet."
    record = line.records[0]
    loss, control = (points(record, f"epoch_{m}")[1] for m in ("loss", "control"))
    tau = float(line.methods[0].get_params(deep=False)["threshold"])
    words = (
        f"At the end of the controlled training the mean loss is {number(loss[-1], 2)} "
        f"and τ {number(tau, 2)}; λ is on for {percent(control[-1])} of the batches. "
    )
    if loss[-1] > tau:
        words += (
            "Unlike in the paper's figure, the mean does not stay near τ: some members "
            "whose loss jumps do not recover, which causes the steps in λ. Members are "
            "kept from earlier epochs, with a validation loss under τ: on average from "
            f"epoch {number(record['kept_epoch'], 0)}."
        )
    return words


def _spent(results: Results) -> str:
    """Return the share of the budget that each training of theorem 1 spent."""
    words = []
    for study, name in (("still-water-filling", "left"), ("water-filling", "right")):
        record = results.record(study, "DARE")
        if record:
            share = record["spent"] / record["budget"]
            words.append(f"{name} {percent(share)}")
    return ", ".join(words) or "no rows yet"
