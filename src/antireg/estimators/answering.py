"""What follows from `said`: flags, doubt, predictions of gates and trained networks."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antireg.estimators.reasoning import Telling
from antireg.predictive import ClassProbabilities, GaussianMixture
from antireg.predictive.intervals import IntervalFactors
from antireg.predictive.values import Array


class Answering(Telling):
    """A model whose answers all follow from what is said of rows in a single pass."""

    @abstractmethod
    def said(self, X: Any) -> Any:
        """Return what is said of rows, and how unfamiliar these are.

        `predictive_of`, `score_of` and `weight_of` interpret it.
        """

    @abstractmethod
    def predictive_of(self, said: Any) -> Any:
        """Return what was said of rows means, with doubt."""

    @abstractmethod
    def score_of(self, said: Any) -> Array:
        """Return the score that `is_ood` compares with its threshold, (rows,)."""

    @abstractmethod
    def weight_of(self, said: Any) -> Array:
        """Return the doubt of rows of which this was said, (rows,)."""

    def ood_score(self, X: Any) -> Array:
        """Return how unfamiliar each row is, (rows,); higher is less familiar.

        It joins distances, densities, ranges and, where it is known, how uncertain the
        model itself is.

        Parameters
        ----------
        X : (rows, ...)
        """
        return self.score_of(self.said(X))

    def doubt(self, X: Any) -> Array:
        """Return how much of each answer is "I do not know", from 0 to 1, (rows,).

        Parameters
        ----------
        X : (rows, ...)
        """
        return self.weight_of(self.said(X))

    def is_ood(
        self, X: Any, false_alarm_rate: float | None = None
    ) -> NDArray[np.bool_]:
        """Return which rows are out of distribution, (rows,).

        A row is flagged if its `ood_score` is above the one that this share of rows
        exceeds of those that the model, or a copy of it, was not fitted on.

        Parameters
        ----------
        X : (rows, ...)
        false_alarm_rate : float, optional
            Overrides the model's own.
        """
        return self.detector(false_alarm_rate).flag(self.ood_score(X))


class AnsweringAmounts(Answering):
    """A regressor of this kind."""

    interval_factors_: IntervalFactors
    flat_targets_: bool
    """Whether y was given as (rows,)."""

    def predict(self, X: Any, return_std: bool = False) -> Array | tuple[Array, Array]:
        """Return the mean, and the standard deviation if asked for.

        Parameters
        ----------
        X : (rows, ...)
        return_std : bool, default=False

        Returns
        -------
        mean, or (mean, std) : arrays of the shape of y
        """
        mixture = self.predictive(X)
        if return_std:
            return self._like_y(mixture.mean), self._like_y(mixture.std)
        return self._like_y(mixture.mean)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return the ends of an interval that covers targets as often as asked.

        It is the central interval of the answer, widened or narrowed so that it covers
        that share of rows that the model, or a copy of it, was not fitted on.

        Parameters
        ----------
        X : (rows, ...)
        coverage : float, default=0.9
            Probability that the target is in the interval.

        Returns
        -------
        low, high : arrays of the shape of y
        """
        low, high = self.interval_factors_.interval(self.predictive(X), coverage)
        return self._like_y(low), self._like_y(high)

    def predictive(self, X: Any) -> GaussianMixture:
        """Return all that is said of these rows, with doubt."""
        mixture: GaussianMixture = self.predictive_of(self.said(X))
        return mixture

    def _like_y(self, values: Array) -> Array:
        return values[:, 0] if self.flat_targets_ else values


class AnsweringClasses(Answering):
    """A classifier of this kind."""

    classes_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable label of each row, (rows,)."""
        label = self.predictive(X).label  # says so first if nothing was fitted
        labels: NDArray[Any] = self.classes_[label]
        return labels

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, (rows, classes)."""
        return self.predictive(X).mean

    def predictive(self, X: Any) -> ClassProbabilities:
        """Return all that is said of these rows, with doubt."""
        probabilities: ClassProbabilities = self.predictive_of(self.said(X))
        return probabilities
