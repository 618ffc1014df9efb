"""A gate as one of scikit-learn's outlier detectors: ±1 instead of a prediction."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OutlierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from antireg.familiarity import SIGNALS, Reference, Seen, detection
from antireg.familiarity.detection import Detector
from antireg.familiarity.joining import Normalisation, Signalling, fit_normalisation
from antireg.familiarity.references import MOST, reference_rows
from antireg.rows.holdout import hold_out
from antireg.trusted.checks import check_rows_for
from antireg.trusted.frames import taken
from antireg.trusted.inputs import Inputs

Array = NDArray[np.float64]

WITHOUT_MODEL = ("nearest", "density", "columns")
"""Signals that are of rows alone."""

HELD_OUT = 0.2


class TrustedDetector(OutlierMixin, BaseEstimator):
    """Flags rows unlike those of training, as scikit-learn's detectors do.

    Parameters
    ----------
    model : TrustedRegressor or TrustedClassifier, optional
        `fit(X, y)` fits a copy of it and flags by what it knows. Without one, `fit(X)`
        needs no targets: rows are compared by distances, densities and ranges, and a
        fifth of them is held out to set the threshold.
    false_alarm_rate : float, default=0.05
        Share of in-distribution rows that may be flagged.
    random_state : int, RandomState or None
        Of the rows held out.

    Attributes
    ----------
    offset_ : float
        `decision_function` is `score_samples` less this.

    Examples
    --------
    >>> import numpy as np
    >>> from antireg import TrustedDetector
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> TrustedDetector(random_state=0).fit(X).predict([[0.0, 0.0], [9.0, 9.0]])
    array([ 1, -1])
    """

    offset_: float
    model_: Any

    def __init__(
        self,
        model: Any = None,
        *,
        false_alarm_rate: float = 0.05,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        """Store the settings."""
        self.model = model
        self.false_alarm_rate = false_alarm_rate
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what is familiar.

        Parameters
        ----------
        X : (rows, features)
        y : (rows,), optional
            Targets, which only a model needs.

        Returns
        -------
        self
        """
        if self.model is not None:
            return self._take(clone(self.model).fit(X, y))
        X = check_rows_for(self, BaseEstimator(), X, reset=True)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        everyone = np.zeros(X.shape[0], dtype=int)
        held_out = hold_out(everyone, HELD_OUT, np.random.default_rng(seed))
        known, unknown = taken(X, ~held_out), taken(X, held_out)
        self._learn_signals(known, unknown, seed)
        return self

    def score_samples(self, X: Any) -> Array:
        """Return how familiar each row is, (rows,); higher is more familiar."""
        check_is_fitted(self)
        if self.model_ is not None:
            return np.asarray(self.model_.score_samples(X))
        return -self._score(check_rows_for(self, BaseEstimator(), X, reset=False))

    def decision_function(self, X: Any) -> Array:
        """Return how far each row is from being flagged, (rows,); below 0 it is."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return 1 for familiar rows and −1 for others, (rows,)."""
        flagged = Detector(0.0).flag(-self.decision_function(X))
        return np.where(flagged, -1, 1)

    def _take(self, model: Any) -> Self:
        """Flag by what a fitted model knows."""
        self.model_, self.n_features_in_ = model, model.n_features_in_
        if hasattr(model, "feature_names_in_"):
            self.feature_names_in_ = model.feature_names_in_
        scores, rate = model.held_out_scores_, self.false_alarm_rate
        self.offset_ = -detection.threshold(scores, rate, warn=False)
        return self

    def _learn_signals(self, known: Any, unknown: Any, seed: int) -> None:
        """Learn from known rows what is familiar, and from others where it ends."""
        inputs = Inputs.learned(BaseEstimator(), known)
        kept = taken(known, reference_rows(known.shape[0], seed, MOST))
        numbers = inputs.numbers(kept)
        reference = Reference(numbers, np.ones(numbers.shape[1]))
        memories = {name: SIGNALS[name].init(reference) for name in WITHOUT_MODEL}
        self._inputs, self._signalling = inputs, Signalling(reference, memories)
        signals = self._signalling(Seen(inputs.numbers(unknown), None))
        self._normalisation: Normalisation = fit_normalisation(signals)
        scores = self._normalisation.flag(signals)
        self.model_ = None
        self.offset_ = -detection.threshold(scores, self.false_alarm_rate)

    def _score(self, X: Any) -> Array:
        signals = self._signalling(Seen(self._inputs.numbers(X), None))
        return self._normalisation.flag(signals)


def as_detector(model: Any) -> TrustedDetector:
    """Return a fitted model as a detector; it is not fitted again.

    Args:
        model: A fitted gate.
    """
    rate = model.false_alarm_rate
    return TrustedDetector(model, false_alarm_rate=rate)._take(model)
