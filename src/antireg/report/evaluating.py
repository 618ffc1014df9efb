"""From a model and some rows to a verdict, its numbers, and a page."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antireg.disk.atomic import write_whole
from antireg.estimators.reasoning import check_is_asked
from antireg.predictive.values import Array
from antireg.report.evaluation import Evaluation, detection_metrics, measure
from antireg.report.first_columns import first_columns, most_named
from antireg.report.promises import n_calibrating, promises
from antireg.report.verdict import UNSEEN, Verdict, verdict
from antireg.tables.encoder import Encoded
from antireg.version import __version__

FAMILIAR, OOD = "in_distribution", "ood"
TITLES = {FAMILIAR: "X", OOD: "ood"}
"""What rows are called on the page if they come from no file."""

MOST_REASONS = 2_000
"""Rows whose reasons are counted for the verdict."""


class Rows(NamedTuple):
    """Rows to measure a model on.

    Attributes:
        X: Inputs, (rows, features).
        y: Targets, (rows,), or None.
        words: What each row has that training never had, "" if nothing; none at all
            if rows are no rows of a table.
        entered: What the model is asked of, if that is more than X.
    """

    X: Array
    y: NDArray[Any] | None = None
    words: Sequence[str] = ()
    entered: Encoded | None = None


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationReport:
    """How good a model is on some rows, in numbers, in words, and as a page.

    In a notebook it shows the page.

    Attributes:
        model: The fitted estimator.
        rows: What it was measured on: "in_distribution" and perhaps "ood".
        measured: The evaluation of each, by the same names.
        verdicts: What was found, in words and numbers, by the same names.
        detection: How well the score tells "ood" from "in_distribution"; empty if
            there is only one.
        titles: What the rows are called on the page, by the same names.
        version: Of antireg, when the model was fitted.

    Examples:
        >>> import numpy as np
        >>> from antireg import EnsembleRegressor, evaluate
        >>> X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
        >>> model = EnsembleRegressor(steps=100, random_state=0)
        >>> _ = model.fit(X[:300], X[:300, 0])
        >>> report = evaluate(model, X[300:], X[300:, 0], ood=X[300:] + 9)
        >>> report.metrics["detection"]["auroc"]
        1.0
        >>> report.html[:15]
        '<!doctype html>'
    """

    model: Any
    rows: Mapping[str, Rows]
    measured: Mapping[str, Evaluation]
    verdicts: Mapping[str, Verdict]
    detection: Mapping[str, float]
    titles: Mapping[str, str] = field(default_factory=lambda: TITLES)
    version: str = __version__

    @property
    def metrics(self) -> dict[str, dict[str, float]]:
        """All metrics, by name of the rows, and "detection" if there are two."""
        found = {name: one.metrics for name, one in self.measured.items()}
        return found | ({"detection": dict(self.detection)} if self.detection else {})

    @property
    def text(self) -> str:
        """The verdict in words; that of shifted rows first."""
        if len(self.verdicts) == 1:
            return self.verdicts[FAMILIAR].text
        told = [f"{self.titles[n]}: {self.verdicts[n].text}" for n in (OOD, FAMILIAR)]
        return "\n".join(told)

    @property
    def promises(self) -> str:
        """What rates are normal, if few rows calibrated the model; else ""."""
        return promises(self.model)

    @property
    def html(self) -> str:
        """The page: complete, and with nothing to load from elsewhere."""
        # Imported where used, as it reads reports.
        from antireg.report.evaluation_page import report_page  # noqa: PLC0415

        return report_page(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file; an older one is replaced."""
        write_whole(path, self.html.encode())

    def __repr__(self) -> str:
        """Return the verdict, what rates are normal, and what cannot be seen."""
        return "\n".join(filter(None, (self.text, self.promises, UNSEEN)))

    def _repr_html_(self) -> str:
        # In a frame of its own, so that its style does not reach the notebook.
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="Evaluation" '
            'style="width:100%;height:40rem;border:0;color-scheme:light dark"></iframe>'
        )


def evaluate(model: Any, X: Any, y: Any = None, *, ood: Any = None) -> EvaluationReport:
    """Return how far a model can be trusted on rows, with a page that shows it.

    Parameters
    ----------
    model : EnsembleRegressor, EnsembleClassifier, or a gate around any other model
        Fitted, with one target.
    X : (rows, features)
        Rows to judge: like those of training, if `ood` is given.
    y : (rows,), optional
        Their targets. Without, there is a verdict on the inputs alone.
    ood : (rows, features) or (X, y), optional
        Rows that may be shifted, to compare with; their targets are not needed.

    Returns
    -------
    EvaluationReport
        `print` shows the verdict, `.metrics` has the numbers, `.save("page.html")`
        writes the page, and a notebook shows it.

    Examples
    --------
    >>> import numpy as np
    >>> from antireg import EnsembleRegressor, evaluate
    >>> X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    >>> model = EnsembleRegressor(steps=100, random_state=0).fit(X[:300], X[:300, 0])
    >>> sorted(evaluate(model, X[300:], X[300:, 0], ood=X[300:] + 9).metrics)
    ['detection', 'in_distribution', 'ood']
    """
    _check_model(model)
    given = {FAMILIAR: _checked(model, X, y)}
    if ood is not None:
        given[OOD] = _checked(model, *(ood if isinstance(ood, tuple) else (ood, None)))
    return report_on(model, given)


def report_on(
    model: Any,
    rows: Mapping[str, Rows],
    *,
    titles: Mapping[str, str] = TITLES,
    version: str = __version__,
) -> EvaluationReport:
    """Return what is found on checked rows; see `EvaluationReport`."""
    measured = {
        name: measure(model, found.entered or found.X, found.y, found.words)
        for name, found in rows.items()
    }
    verdicts = {name: _verdict(model, rows[name], measured[name]) for name in rows}
    detection = detection_metrics(*measured.values()) if OOD in rows else {}
    return EvaluationReport(model, rows, measured, verdicts, detection, titles, version)


def _verdict(model: Any, rows: Rows, found: Evaluation) -> Verdict:
    def first_column(chosen: NDArray[np.intp]) -> tuple[str, float]:
        # Evenly spread, if there are many: the share is what is wanted.
        most = np.linspace(0, len(chosen) - 1, min(MOST_REASONS, len(chosen)))
        kept = chosen[most.astype(np.intp)]
        words = [rows.words[row] for row in kept] if rows.words else []
        return most_named(first_columns(model, rows.X[kept], words))

    n_held_out = n_calibrating(model)
    return verdict(found, model.false_alarm_rate, n_held_out, first_column)


def _checked(model: Any, X: Any, y: Any) -> Rows:
    rows = model.entering(X)
    values = np.asarray(rows.values[:], dtype=np.float64)
    if y is None:
        return Rows(values, None, rows.words, rows)
    targets = np.asarray(y)
    if targets.shape != (len(values),):
        raise ValueError(
            f"y must have one target for each row of X, got shape {targets.shape} for "
            f"{len(values)} rows. Give (rows,), or no targets at all."
        )
    if model.kind == "regressor" and not np.isfinite(targets.astype(np.float64)).all():
        raise ValueError(
            "y must be finite numbers, got some that are not. Leave out rows whose "
            "target is not known."
        )
    return Rows(values, targets, rows.words, rows)


def _check_model(model: Any) -> None:
    """Refuse what cannot be measured here."""
    check_is_asked(model, "evaluated")
    n_targets = getattr(model, "n_targets_", 1)
    if n_targets != 1:
        raise ValueError(
            f"model must have one target to be evaluated, got {n_targets}. Fit one "
            "model for each target."
        )
