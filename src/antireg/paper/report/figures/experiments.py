"""The figures of the large experiments: tables as dots, λ over time, choice of δ."""

from __future__ import annotations

import numpy as np

from antireg.paper.experiments.recipes import DELTAS
from antireg.paper.report.entries import NLL
from antireg.paper.report.figures import experiment_charts as charts
from antireg.paper.report.figures.figure import Figure, slug
from antireg.paper.report.results import Results, points
from antireg.paper.report.tables import SHIFTS, Table, entries


def table_dots(results: Results, table: Table) -> Figure:
    """Return the numbers of a table as dots, ours beside the paper's."""
    shown = Figure()
    for part in table.parts:
        for column in part.columns:
            found = entries(results, part, column)
            if any(entry.printed for entry in found.values()):
                name = f"{table.name}-{slug(part.title)}-{slug(column.title)}"
                title = f"{part.title}: {column.title}"
                shown.add(name, charts.dots(found, title))
    return shown


def lambdas(results: Results) -> Figure:
    """Return weights, losses and λ by epoch."""
    shown = Figure()
    (study,) = results.studies("lambda")
    lines = {line.contender.name: line for line in results.lines(study)}
    records = {n: line.records[0] for n, line in lines.items() if line.records}
    shown.missing += [f"lambda, {name}" for name in lines if name not in records]
    for metric, title, label in (
        ("weight", "Weights", "mean |θ|"),
        ("loss", "Training loss", "NLL"),
        ("control", "Control", "mean λ over batches"),
    ):
        curves = {}
        for name, record in records.items():
            at, values = points(record, f"epoch_{metric}")
            curves[name] = (np.array(at, dtype=np.float64), values)
        log = metric != "control" and all((y > 0).all() for _, y in curves.values())
        level = None
        if metric == "loss" and (method := lines["controlled λ"].methods.get(0)):
            level = ("τ", float(method.get_params(deep=False)["threshold"]))
        drawn = charts.curves(curves, title, label, level, log) if curves else None
        shown.add(f"lambda-{metric}", drawn)
    return shown


def deltas(results: Results) -> Figure:
    """Return NLL inside and outside against δ, for each shift of CityCam."""
    shown = Figure()
    for title, shift, rows in SHIFTS:
        study = f"delta-{shift}"
        metrics = {"inside": "test_nll", "outside": f"{rows}_nll"}
        lines = {
            where: [results.entry(study, f"DARE δ={d:g}", metric, NLL) for d in DELTAS]
            for where, metric in metrics.items()
        }
        levels = {
            where: results.entry(study, "DE (NLL)", metric, NLL)
            for where, metric in metrics.items()
        }
        drawn = zip(DELTAS, lines["inside"], strict=True)
        absent = [f"{step:g}" for step, entry in drawn if not entry]
        if len(absent) < len(DELTAS):
            shown.add(study, charts.ablation(DELTAS, lines, levels, title))
        if absent:
            shown.missing.append(f"{title} with δ = {', '.join(absent)}")
    return shown
