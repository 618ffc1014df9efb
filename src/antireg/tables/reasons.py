"""Which inputs and columns are far from those of training, and the words for it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antireg.predictive.values import Array
from antireg.tables.encoding import Encoding
from antireg.tables.wording import MOST_REASONS
from antireg.training.provenance import TrainingData

SCORE = "score"
"""The reason of a row that is flagged by its score, if no column says why."""


def outside_period(encoding: Encoding, X: Array) -> dict[str, int]:
    """Return how many rows are before or after those of training, by column."""
    found = {}
    for column, parts in zip(encoding.columns, encoding.parts, strict=True):
        if column.kind == "date" and column.seen is not None:
            days = X[:, parts[0][0]]
            outside = (days < column.seen.low) | (days > column.seen.high)
            found[column.name] = int(outside.sum())
    return found


def outside_range(encoding: Encoding, X: Array) -> NDArray[np.intp]:
    """Return which columns are outside the range of training, (rows, a few).

    The value that is the farthest outside, in widths of the range, comes first; −1
    where there are no more.
    """
    seen = [
        (index, column.seen)
        for index, column in enumerate(encoding.columns)
        if column.seen is not None
    ]
    low = np.array([range_.low for _, range_ in seen])
    high = np.array([range_.high for _, range_ in seen])
    values = X[:, [encoding.parts[index][0][0] for index, _ in seen]]
    outside = (values < low) | (values > high)
    found = np.full((len(X), min(MOST_REASONS, len(seen))), -1)
    rows = np.flatnonzero(outside.any(axis=1))
    values, outside = values[rows], outside[rows]
    with np.errstate(over="ignore"):
        width = np.where(high > low, high - low, 1.0)
        # Halves, as the difference of two numbers may be too large for a double.
        beyond = np.maximum(low / 2 - values / 2, values / 2 - high / 2)
        beyond = np.where(outside, beyond / width, 0.0)
    order = np.argsort(-beyond, axis=1, kind="stable")[:, : found.shape[1]]
    columns = np.array([index for index, _ in seen], np.intp)[order]
    found[rows] = np.where(np.take_along_axis(outside, order, axis=1), columns, -1)
    return found


def surprise(training: TrainingData, inputs: Array) -> Array:
    """Return how much each input adds to each row's surprise, (rows, features).

    The term of an input is its squared distance from the training mean, divided by the
    training variance: 1 on average, and the largest terms say why a row is flagged. It
    is the theory's φ²/s² for the part of the input that a bias does not absorb.

    An input that was the same in all n rows is assumed to differ in a share of
    1 / (n + 2) of rows, by the rule of succession: a row that differs has the term
    n + 1, any other 1 / (n + 1).

    Args:
        training: Of the model.
        inputs: As the network sees them, (rows, features).
    """
    away = inputs - training.mean
    constant = training.variance == 0
    terms: Array = np.square(away) / np.where(constant, 1.0, training.variance)
    # The network saw float32.
    differs = np.abs(away[:, constant]) > 1e-6 * (1 + np.abs(training.mean[constant]))
    n = training.n_rows
    terms[:, constant] = np.where(differs, n + 1, 1 / (n + 1))
    return terms


def moves(training: TrainingData, inputs: Array, encoding: Encoding) -> Array:
    """Return the mean surprise of each column, (columns,): 1 is as in training."""
    means: Array = surprise(training, inputs).mean(axis=0, keepdims=True)
    moved: Array = surprise_of_columns(means, encoding)[0]
    return moved


def surprise_of_columns(terms: Array, encoding: Encoding) -> Array:
    """Return the largest term of the features of each column, (rows, columns).

    A number and whether it is missing count separately, as do a category and whether it
    is unseen: the one that is farther from training decides.

    Args:
        terms: Of rows, or of means over rows, (rows, features).
        encoding: Which features are of which column.
    """
    parts = [[terms[:, part].mean(1) for part in column] for column in encoding.parts]
    return np.stack([np.max(column, axis=0) for column in parts], axis=1)


def unseen_shares(encoding: Encoding, X: Array) -> Array:
    """Return the share of rows with a category never seen in training, (columns,)."""
    shares = [
        X[:, parts[-1][0]].mean() if column.kind == "categorical" else 0.0
        for column, parts in zip(encoding.columns, encoding.parts, strict=True)
    ]
    return np.array(shares)
