"""Models in MLflow, as a flavour that returns every column (needs the extra `mlflow`).

    antireg.mlflow.log_model(model, "houses")
    mlflow.pyfunc.load_model("models:/houses/1").predict(frame)

A model is stored as `model.save` stores it, without pickle. What is predicted is a
frame with the columns of `antireg predict`: mean, std, low and high, or label and p(…)
of each class; then ood_score, doubt if the model has it, flag and reason.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from antireg.estimators.base import Ensemble
from antireg.tables.wording import joined
from antireg.trusted.saving import load

FOLDER = "antireg_model"
LOADER = "antireg.mlflow"
COVERAGE = 0.9


def save_model(model: Ensemble, path: str | os.PathLike[str], **more: Any) -> None:
    """Write a fitted estimator as an MLflow model.

    Args:
        model: Of one target.
        path: A new folder.
        **more: As in `mlflow.pyfunc.save_model`, such as `signature`.

    Examples:
        >>> import tempfile
        >>> from antireg import EnsembleRegressor, mlflow
        >>> X = [[0.01 * row] for row in range(300)]
        >>> model = EnsembleRegressor(steps=50, doubt=None).fit(X, [x[0] for x in X])
        >>> folder = tempfile.mkdtemp() + "/model"
        >>> mlflow.save_model(model, folder)
        >>> list(mlflow.load_model(folder).predict(X[:1]))[:4]
        ['mean', 'std', 'low', 'high']
    """
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder) / FOLDER
        model.save(where)
        _pyfunc().save_model(
            path=os.fspath(path), **_stored_at(where) | {"metadata": _about()} | more
        )


def log_model(model: Ensemble, name: str, **more: Any) -> Any:
    """Log a fitted estimator to the run, and return what MLflow says of it.

    Args:
        model: Of one target.
        name: Of the logged model.
        **more: As in `mlflow.pyfunc.log_model`, such as `registered_model_name`.

    Examples:
        >>> import tempfile
        >>> import mlflow
        >>> import antireg
        >>> X = [[0.01 * row] for row in range(300)]
        >>> model = antireg.EnsembleRegressor(steps=50, doubt=None)
        >>> _ = model.fit(X, [x[0] for x in X])
        >>> mlflow.set_tracking_uri(f"file://{tempfile.mkdtemp()}/runs")
        >>> antireg.mlflow.log_model(model, "houses").name
        'houses'
    """
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder) / FOLDER
        model.save(where)
        given = _stored_at(where) | {"metadata": _about()} | more
        return _pyfunc().log_model(name=name, **given)


def load_model(model_uri: str) -> Scored:
    """Return a logged or saved model; `predict` returns a frame, `.model` is ours.

    Args:
        model_uri: A folder, or "models:/…" or "runs:/…".

    Examples:
        >>> import tempfile
        >>> from antireg import EnsembleRegressor, mlflow
        >>> X = [[0.01 * row] for row in range(300)]
        >>> model = EnsembleRegressor(steps=50, doubt=None).fit(X, [x[0] for x in X])
        >>> folder = tempfile.mkdtemp() + "/model"
        >>> mlflow.save_model(model, folder)
        >>> mlflow.load_model(folder).model
        EnsembleRegressor(doubt=None, steps=50)
    """
    _pyfunc()  # or say what to install
    from mlflow import artifacts  # noqa: PLC0415

    folder = artifacts.download_artifacts(artifact_uri=model_uri)
    return _load_pyfunc(os.path.join(folder, "data", FOLDER))


class Scored:
    """A model that says all it knows of rows.

    Args:
        model: Fitted, of one target.

    Examples:
        >>> from antireg import EnsembleRegressor, mlflow
        >>> X = [[0.01 * row] for row in range(300)]
        >>> model = EnsembleRegressor(steps=50, doubt=None).fit(X, [x[0] for x in X])
        >>> mlflow.Scored(model).predict(X[:2]).shape
        (2, 7)
    """

    def __init__(self, model: Ensemble) -> None:
        """Keep the model."""
        self.model = model

    def predict(self, X: Any, params: dict[str, Any] | None = None) -> Any:
        """Return a pandas frame with a row for each row, and the same index.

        Args:
            X: A frame, or an array.
            params: {"coverage": 0.9}: of the interval from low to high.
        """
        import pandas  # noqa: PLC0415  (extra `mlflow`)

        from antireg.tables.scoring import score_rows  # noqa: PLC0415

        rows = self.model.entering(X)
        coverage = float((params or {}).get("coverage", COVERAGE))
        values = score_rows(self.model, rows.values, coverage)
        flags = self.model.detector().flag(values["ood_score"], rows.words)
        reasons = self.model.reasons(rows)
        found = {**values, "flag": flags, "reason": [joined(why) for why in reasons]}
        index = X.index if isinstance(X, pandas.DataFrame) else None
        return pandas.DataFrame(found, index=index)


def _load_pyfunc(path: str) -> Scored:
    """Return what MLflow calls to predict; it looks for this name."""
    return Scored(load(path))


def _stored_at(folder: Path) -> dict[str, Any]:
    return {"loader_module": LOADER, "data_path": str(folder)}


def _about() -> dict[str, str]:
    from antireg.version import __version__  # noqa: PLC0415

    return {"antireg": __version__}


def _pyfunc() -> Any:
    try:
        from mlflow import pyfunc  # noqa: PLC0415  (extra `mlflow`)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "mlflow is needed for this. Use: pip install 'antireg[mlflow]'",
            name="mlflow",
        ) from error
    return pyfunc
