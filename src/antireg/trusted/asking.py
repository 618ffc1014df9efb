"""Asks what a `Pipeline` or a search does not pass on, such as `is_ood`."""

from __future__ import annotations

from typing import Any

from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

OF_INPUTS = ("is_ood", "ood_score", "doubt", "reasons", "score_samples")
"""Questions whose answer has nothing to do with the units of targets."""


def ask(model: Any, X: Any, question: str, **options: Any) -> Any:
    """Return what the last step of a fitted pipeline says of rows.

    Args:
        model: A pipeline, a search such as `GridSearchCV`, or one of antireg's
            estimators itself.
        X: Rows as the model takes them.
        question: A method such as "is_ood", "doubt", "reasons" or "predict_interval".
        **options: Of that method.

    Examples:
        >>> from sklearn.pipeline import make_pipeline
        >>> from sklearn.preprocessing import StandardScaler
        >>> from antireg import EnsembleRegressor, ask
        >>> ensemble = EnsembleRegressor(steps=100, random_state=0)
        >>> model = make_pipeline(StandardScaler(), ensemble)
        >>> X = [[0.1 * row, row % 3] for row in range(200)]
        >>> y = [row[0] for row in X]
        >>> ask(model.fit(X, y), [[5.0, 1.0], [900.0, 1.0]], "is_ood").tolist()
        [False, True]
    """
    check_is_fitted(model)
    while True:
        if isinstance(model, Pipeline):
            X = model[:-1].transform(X) if len(model.steps) > 1 else X
            model = model.steps[-1][1]
        elif hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif isinstance(model, TransformedTargetRegressor):
            if question not in OF_INPUTS:
                raise ValueError(
                    f"question must be one of {', '.join(OF_INPUTS)} through a "
                    f"TransformedTargetRegressor, got {question!r}, which would be in "
                    'its inner units. Use EnsembleRegressor(target_transform="log").'
                )
            model = model.regressor_
        else:
            break
    if not callable(getattr(model, question, None)):
        raise ValueError(
            f"question must be a method of {type(model).__name__}, got {question!r}. "
            'For example: "is_ood".'
        )
    return getattr(model, question)(X, **options)
