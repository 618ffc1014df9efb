"""What outputs of members mean, learnt from held-out rows: scores and flags.

Who trained the members does not matter here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from antireg.estimators.left_out import Unseen
from antireg.familiarity import detection
from antireg.familiarity.detection import Detector
from antireg.networks import Stack
from antireg.networks.inference import Work, by_rows
from antireg.rows.checks import check_rows
from antireg.rows.scaling import Scaling

Array = NDArray[np.float64]


class Calibrated(BaseEstimator, ABC):
    """A model that was shown rows it was not trained on, to know what it says."""

    network_: Stack
    scaling_: Scaling
    held_out_scores_: Array
    false_alarm_rate: float

    def _calibrate(self, unseen: Unseen) -> None:
        """Learn what outputs mean: noise or probabilities, intervals, the threshold.

        Args:
            unseen: What is said of rows that the members were not trained on.
        """
        self._learn_noise(unseen.outputs, self._encode(unseen.y), unseen.weight)
        self.held_out_scores_ = np.sort(self._unseen_scores(unseen))
        n_scores = len(self.held_out_scores_)
        detection.warn_of_few(n_scores, self.false_alarm_rate, stacklevel=4)

    def ood_score(self, X: ArrayLike, kind: str = "total") -> Array:
        """Return how unfamiliar each row is, (rows,); higher is less familiar.

        For regression it is the predictive standard deviation of the scaled targets;
        for squared-error classes the distance to the nearest label plus the members'
        variance; for cross-entropy the entropy.

        Parameters
        ----------
        X : (rows, features)
        kind : {"total", "epistemic"}
            All of the uncertainty, or only the disagreement of the members.
        """
        if kind not in ("total", "epistemic"):
            raise ValueError(f'kind must be "total" or "epistemic", got {kind!r}.')
        return self._by_rows(X, lambda outputs: self.ood_score_of(outputs, kind))

    def is_ood(
        self, X: ArrayLike, false_alarm_rate: float | None = None
    ) -> NDArray[np.bool_]:
        """Return which rows are out of distribution, (rows,).

        A row is flagged when its `ood_score` is above the score that this share of
        in-distribution rows exceeds, judged by held-out rows.

        Parameters
        ----------
        X : (rows, features)
        false_alarm_rate : float, optional
            Overrides the estimator's own.
        """
        return self.detector(false_alarm_rate).flag(self.ood_score(X))

    def ood_threshold(self, false_alarm_rate: float | None = None) -> float:
        """Return the score above which `is_ood` flags a row."""
        return self.detector(false_alarm_rate).threshold

    def detector(self, false_alarm_rate: float | None = None) -> Detector:
        """Return what decides which rows `is_ood` flags."""
        check_is_fitted(self)
        scores, rate = self.held_out_scores_, self.false_alarm_rate
        if false_alarm_rate is not None:
            return Detector(detection.threshold(scores, false_alarm_rate))
        # `fit` has warned if rows are too few for its own rate.
        return Detector(detection.threshold(scores, rate, warn=False))

    def outputs(self, X: Any) -> Array:
        """Return what the networks put out, (members, rows, outputs).

        `predictive_of` and `ood_score_of` say what it means, both after one pass.
        """
        return self._by_rows(X, lambda outputs: outputs, axis=1)

    def _by_rows(self, X: Any, work: Work, axis: int = 0) -> NDArray[Any]:
        """Return what `work` makes of the outputs of rows, a few at a time."""
        check_is_fitted(self)
        X, _ = check_rows(self, X, reset=False)
        return by_rows(self.network_, self.scaling_, X, work, axis)

    @abstractmethod
    def ood_score_of(self, outputs: Array, kind: str = "total") -> Array:
        """Return the `ood_score` of rows with these outputs, (rows,)."""

    @abstractmethod
    def named_values(self, outputs: Array, coverage: float) -> dict[str, NDArray[Any]]:
        """Return the columns of a table that says this of one target, (rows,) each."""

    @abstractmethod
    def _encode(self, y: Any) -> Array:
        """Return targets as the network sees them, (rows, targets)."""

    @abstractmethod
    def _learn_noise(
        self, outputs: Array, targets: Array, weight: Array | None
    ) -> None:
        """Learn from held-out rows what the outputs alone do not say."""

    @abstractmethod
    def _unseen_scores(self, unseen: Unseen) -> Array:
        """Return scores as those of fresh rows would be, (rows,)."""
