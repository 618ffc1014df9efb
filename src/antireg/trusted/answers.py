"""What a fitted scikit-learn model says of rows, and how uncertain it is itself."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

Array = NDArray[np.float64]


class Answer(NamedTuple):
    """What is said of rows.

    Attributes:
        values: Amounts, or probabilities of classes, (rows, outputs).
        deviation: How uncertain the model itself is of each, (rows, outputs); None if
            it does not say.
    """

    values: Array
    deviation: Array | None = None

    def at(self, places: Any) -> Answer:
        """Return what is said of some rows."""
        given = self.deviation
        return Answer(self.values[places], None if given is None else given[places])


def joined_answers(parts: list[Answer]) -> Answer:
    """Return what is said of all rows, part after part."""
    values = np.concatenate([part.values for part in parts])
    given = [part.deviation for part in parts if part.deviation is not None]
    return Answer(values, np.concatenate(given) if given else None)


def amounts(model: Any, entering: Any) -> Answer:
    """Return what a regressor says; trees of a forest are asked one by one.

    Args:
        model: Fitted, without the steps of a pipeline before it.
        entering: Rows as it takes them.
    """
    if isinstance(model, RandomForestRegressor | ExtraTreesRegressor):
        return _forest(model, entering)
    if "return_std" in inspect.signature(model.predict).parameters:
        mean, deviation = model.predict(entering, return_std=True)
        return Answer(_columns(mean), _columns(deviation))
    return Answer(_columns(model.predict(entering)))


def class_probabilities(model: Any, entering: Any, classes: NDArray[Any]) -> Answer:
    """Return what a classifier says of all classes, also of those it never saw.

    One without `predict_proba` is certain of the label it predicts.

    Args:
        model: Fitted, without the steps of a pipeline before it.
        entering: Rows as it takes them.
        classes: All there are, sorted.
    """
    if not hasattr(model, "predict_proba"):
        labels = np.asarray(model.predict(entering))
        return Answer((labels[:, None] == classes).astype(np.float64))
    said = np.asarray(model.predict_proba(entering), dtype=np.float64)
    values = np.zeros((len(said), len(classes)))
    values[:, np.searchsorted(classes, model.classes_)] = said
    return Answer(values)


def _forest(forest: Any, entering: Any) -> Answer:
    """Return the mean and the deviation of the trees, one tree after the other."""
    if hasattr(entering, "tocsr"):
        rows = entering.tocsr().astype(np.float32)
    else:
        rows = np.asarray(entering, dtype=np.float32)
    mean = _columns(forest.predict(entering))
    squares = np.zeros_like(mean)
    for tree in forest.estimators_:
        squares += np.square(_columns(tree.predict(rows)) - mean)
    return Answer(mean, np.sqrt(squares / len(forest.estimators_)))


def _columns(values: Any) -> Array:
    array = np.asarray(values, dtype=np.float64)
    return array.reshape(len(array), -1)
