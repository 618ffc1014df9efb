"""How far the columns of a table are from where they were in training."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antireg.estimators.base import Ensemble
from antireg.tables import Encoding, row_values

Array = NDArray[np.float64]


def moves(model: Ensemble, encoding: Encoding, X: Array) -> Array:
    """Return the mean surprise of each column, (columns,): 1 is as in training."""
    means: Array = row_values.surprise(model, X).mean(axis=0, keepdims=True)
    moved: Array = surprise_of_columns(means, encoding)[0]
    return moved


def surprise_of_columns(terms: Array, encoding: Encoding) -> Array:
    """Return the largest term of what the features of a column say, (rows, columns).

    A number and that it is missing are two things, as are a category and that it is
    unseen: a column is as far from training as the one of both that is farther.

    Args:
        terms: Of rows, or of means over rows, (rows, features).
        encoding: Which features are of which column.
    """
    parts = [[terms[:, part].mean(1) for part in column] for column in encoding.parts]
    return np.stack([np.max(column, axis=0) for column in parts], axis=1)


def unseen_shares(encoding: Encoding, X: Array) -> Array:
    """Return the share of rows whose category training never held, (columns,)."""
    shares = [
        X[:, parts[-1][0]].mean() if column.kind == "categorical" else 0.0
        for column, parts in zip(encoding.columns, encoding.parts, strict=True)
    ]
    return np.array(shares)
