"""Checks of rows that another estimator may take in more forms than an array."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_array, validate_data

from antireg.rows.checks import saying_what_to_do
from antireg.tables.frames import is_frame


def check_rows_for(model: Any, estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return rows as an estimator takes them, or say what is wrong with them.

    Frames stay as they are, and so do words in what a pipeline is given.

    Args:
        model: Whose `n_features_in_` it is to be.
        estimator: What takes the rows.
        X: The rows.
        reset: Whether to learn the features from these rows or to require the old ones.
    """
    if is_frame(X) or isinstance(estimator, Pipeline):
        if not is_frame(X):
            X = check_array(X, dtype=None, ensure_all_finite=False)
        validate_data(model, X, reset=reset, skip_check_array=True)
        return X
    gaps = get_tags(estimator).input_tags.allow_nan
    finite = "allow-nan" if gaps else True
    with saying_what_to_do():
        return validate_data(model, X, reset=reset, ensure_all_finite=finite)
