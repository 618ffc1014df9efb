"""Which inputs and columns of a row are far from those of training."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antireg.predictive.values import Array
from antireg.rows.scaling import Scaling
from antireg.tables.encoding import Encoding
from antireg.training.provenance import TrainingData


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


def never_trained(training: TrainingData, scaling: Scaling) -> NDArray[np.bool_]:
    """Return which inputs were 0 in all rows that the model trained on, (features,)."""
    zero = scaling.scaled(np.zeros((1, len(training.mean))))[0]
    same = np.abs(zero - training.mean) <= 1e-6 * (1 + np.abs(training.mean))
    found: NDArray[np.bool_] = (training.variance == 0) & same
    return found


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
