"""The page of `antireg evaluate --report`: how good a model is, and what is unusual."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antireg.estimators.base import Ensemble
from antireg.predictive.values import Array
from antireg.report import evaluation_charts, readable
from antireg.report.evaluating import EvaluationReport, Rows
from antireg.report.evaluation import Evaluation
from antireg.report.page import Templates, strong, words
from antireg.report.pictures import Picture
from antireg.report.verdict import UNSEEN
from antireg.tables import Encoding
from antireg.tables.reasons import moves, surprise, surprise_of_columns, unseen_shares
from antireg.training.provenance import TrainingData

Cells = list[list[str]]

TEMPLATES = Templates()

MOST_ROWS = 12
WORDS = {
    "rows": "rows",
    "flagged_share": "flagged as out of distribution",
    "accuracy": "accuracy",
    "unknown_classes": "rows of classes never seen",
    "rmse": "root mean squared error",
    "r2": "R²",
    "mae": "mean absolute error",
    "nll": "negative log-likelihood",
    "crps": "CRPS",
    "brier": "Brier score",
    "coverage_90": "targets inside the 90 % interval",
    "mean_interval_width": "mean width of that interval",
    "calibration_error": "calibration error",
}


def report_page(report: EvaluationReport) -> str:
    """Return the page of a report as HTML."""
    model, titles = report.model, report.titles
    encoding = model.columns()
    rows = {titles[name]: found for name, found in report.rows.items()}
    measured = {titles[name]: found for name, found in report.measured.items()}
    inputs = {name: model.scaling_.scaled(found.X) for name, found in rows.items()}
    moved = {
        name: moves(model.training_data_, x, encoding) for name, x in inputs.items()
    }
    scores = {name: found.scores for name, found in measured.items()}
    drawn = list(
        zip(measured, measured.values(), evaluation_charts.COLOURS, strict=False)
    )
    told = [one for one in drawn if one[1].error.size]
    page = TEMPLATES.render(
        "evaluation.html",
        target=encoding.target,
        verdicts=[
            (titles[n], report.verdicts[n]) for n in reversed([*report.verdicts])
        ],
        promises=report.promises.replace(" %", "\u00a0%"),
        unseen=UNSEEN,
        files=list(rows),
        metrics=_metrics(measured, report.detection),
        histogram=evaluation_charts.histogram(scores, model.ood_threshold()),
        false_alarm_rate=f"{readable.number(100 * model.false_alarm_rate)}%",
        trust=_trust(told) if told else [],
        has_intervals=bool(told) and told[0][1].coverage is not None,
        moved=_moved(moved, encoding, rows),
        strangest=_strangest(model.training_data_, encoding, rows, inputs, scores),
        training=_training(model),
        model=type(model).__name__,
        version=report.version,
        n_rows=model.training_data_.n_rows,
        fingerprint=model.training_data_.fingerprint[:12],
    )
    return str(page)


def _metrics(
    measured: Mapping[str, Evaluation], detection: Mapping[str, float]
) -> Cells:
    found = [evaluation.metrics for evaluation in measured.values()]
    named = [name for name in WORDS if any(name in metrics for metrics in found)]
    cells = [
        [WORDS[n], *(readable.named(n, m[n]) if n in m else "" for m in found)]
        for n in named
    ]
    for name, value in detection.items():
        shown = strong(f"{value:.3f}")
        cells.append([f"{name.upper()} of the OOD score", "", shown])
    return cells


def _trust(drawn: evaluation_charts.Drawn) -> list[Picture]:
    charts = [evaluation_charts.calibration(drawn)]
    if drawn[0][1].coverage is not None:
        charts.append(evaluation_charts.coverage(drawn))
    return [*charts, evaluation_charts.error(drawn)]


def _strangest(
    training: TrainingData,
    encoding: Encoding,
    rows: Mapping[str, Rows],
    inputs: Mapping[str, Array],
    scores_by_file: Mapping[str, Array],
) -> Cells:
    """Return the rows with the highest scores and their most unusual columns."""
    files = [name for name, found in rows.items() for _ in found.X]
    numbers = np.concatenate(
        [np.arange(1, len(found.X) + 1) for found in rows.values()]
    )
    X = np.concatenate([found.X for found in rows.values()])
    said = [w for f in rows.values() for w in f.words or [""] * len(f.X)]
    scores = np.concatenate([scores_by_file[name] for name in rows])
    top = np.argsort(-scores, kind="stable")[:MOST_ROWS]
    terms = surprise(training, np.concatenate(list(inputs.values()))[top])
    by_column = surprise_of_columns(terms, encoding)
    cells = []
    for place, row in enumerate(top):
        strongest = np.argsort(-by_column[place], kind="stable")[:3]
        why = [
            f"{_value(encoding, X[row], c)} ({_times(by_column[place, c])})"
            for c in strongest
            if by_column[place, c] > max(4, 0.02 * by_column[place].max())
            and f"{encoding.columns[c].name} " not in said[row]
        ]
        strange = [said[row]] if said[row] else []
        cells.append(
            [f"{files[row]}, row {numbers[row]}", readable.number(scores[row]),
             words("; ".join([*strange, *why]))]
        )  # fmt: skip
    return cells


def _moved(
    moved: Mapping[str, Array], encoding: Encoding, rows: Mapping[str, Rows]
) -> Cells:
    """Return how far each column is from its training values, farthest first."""
    means = list(moved.values())
    unseen = [unseen_shares(encoding, found.X) for found in rows.values()]
    order = np.argsort(-means[-1], kind="stable")[:MOST_ROWS]
    cells = []
    for c in order:
        texts = [
            _times(m[c]) + (f", {share[c]:.1%} never in training" if share[c] else "")
            for m, share in zip(means, unseen, strict=True)
        ]
        shown = [
            strong(text) if m[c] > 4 else text
            for text, m in zip(texts, means, strict=True)
        ]
        cells.append([encoding.columns[c].name, *shown])
    return cells


def _times(term: float) -> str:
    return f"{readable.number(term, 3)}×"


def _value(encoding: Encoding, x: Array, index: int) -> str:
    """Return a column and its value in one row of features."""
    column, mine = encoding.columns[index], x[encoding.owners == index]
    if column.kind == "categorical":
        return column.features[int(mine.argmax())]
    if column.missing and mine[-1]:
        return column.features[-1]
    outside = column.outside(mine[0])
    return outside or f"{column.name} = {column.shown(mine[0])}"


def _training(model: Ensemble) -> dict[str, Any] | None:
    """Return how it was trained; None of networks that were trained elsewhere."""
    if not hasattr(model, "history_"):
        return None
    history, shown = model.history_, model.method_.shown()
    pictures = [
        evaluation_charts.losses(history, shown),
        evaluation_charts.growth(history),
    ]
    code = ("network", "callbacks", "verbose")
    given = model.get_params(deep=False).items()
    return {
        "pictures": [picture for picture in pictures if picture is not None],
        "shown": [(one.meaning, readable.number(one.value)) for one in shown],
        "n_members": model.network_.n_members,
        "kept": ", ".join(map(str, history.kept)),
        "n_epochs": history.n_epochs,
        "seconds": f"{history.seconds:.0f}",
        "settings": [(name, str(value)) for name, value in given if name not in code],
    }
