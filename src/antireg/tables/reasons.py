"""Which inputs of a row are far from those of training."""

from __future__ import annotations

import numpy as np

from antireg.estimators.base import Ensemble
from antireg.predictive.values import Array


def surprise(model: Ensemble, X: Array) -> Array:
    """Return how much each input adds to each row's surprise, (rows, features).

    The term of an input is the square of its distance from the training mean over the
    variance there: 1 on average, and the largest say why a row is flagged. It is the
    theory's φ²/s² for the part of the input that a bias does not take up.

    An input that was the same in all n rows is taken for one that differs in a share of
    1 / (n + 2), by the rule of succession: a row that differs has the term n + 1, any
    other 1 / (n + 1).
    """
    trace = model.training_data_
    away = model.scaling_.scaled(X) - trace.mean
    silent = trace.variance == 0
    terms: Array = np.square(away) / np.where(silent, 1.0, trace.variance)
    # The network saw float32.
    differs = np.abs(away[:, silent]) > 1e-6 * (1 + np.abs(trace.mean[silent]))
    terms[:, silent] = np.where(differs, trace.n_rows + 1, 1 / (trace.n_rows + 1))
    return terms
