"""What both gates share: from an estimator and a table to a gate, and what it says."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import Tags, check_random_state, get_tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from antireg.estimators.members import unfitted_copy
from antireg.familiarity import detection
from antireg.rows.checks import check_groups, check_weight
from antireg.trusted.asked import Asked
from antireg.trusted.checks import check_rows_for
from antireg.trusted.cloning import Table, fitted
from antireg.trusted.detector import TrustedDetector, as_detector
from antireg.trusted.folds import fold_of_rows
from antireg.trusted.learning import Gate, Learned, Learner
from antireg.trusted.rules import Rules

Array = NDArray[np.float64]

N_FOLDS = 5
MORE_FOLDS, FEW_ROWS = 10, 2000
"""Below so many rows there are more folds: copies then know nearly all rows."""


class Trusted(Asked, MetaEstimatorMixin, BaseEstimator, ABC):
    """A model of scikit-learn's kind that says when not to trust it."""

    kind: ClassVar[str]
    """What scikit-learn calls models that it takes."""

    estimator_: Any
    gate_: Gate
    n_groups_: int | None = None

    def __init__(
        self,
        estimator: Any,
        *,
        prefit: bool = False,
        false_alarm_rate: float = 0.05,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        """Store the settings."""
        self.estimator = estimator
        self.prefit = prefit
        self.false_alarm_rate = false_alarm_rate
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit the estimator, and learn from copies of it where it fails.

        Parameters
        ----------
        X : (rows, features)
            As the estimator takes it: an array, or a frame of pandas or Polars.
        y : (rows,) or (rows, targets)
            Targets, or classes.
        sample_weight : (rows,), optional
            How much each row counts. Rows of weight 0 are left out.
        groups : (rows,), optional
            Rows that belong together, such as those of one camera or one day, if new
            ones are what will come. Copies are fitted without whole groups.

        Returns
        -------
        self
        """
        # All is learned by another object: a fit that fails leaves this one as it was.
        learner = unfitted_copy(self)
        learner._check_settings()
        learner._learn(learner._check_table(X, y, sample_weight, groups))
        self.__dict__ = learner.__dict__
        return self

    def _learn(self, rows: Table) -> None:
        """Fit the estimator unless it is, and learn its gate."""
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        n_folds = MORE_FOLDS if len(rows) < FEW_ROWS else N_FOLDS
        labels, rng = self._labels(rows.y), np.random.default_rng(seed)
        fold = fold_of_rows(labels, rows.groups, len(rows), n_folds, rng)
        self.n_groups_ = None if rows.groups is None else int(rows.groups.max()) + 1
        own = None if self.random_state is None else seed
        estimator = None if self.prefit else self.estimator
        model = self.estimator if self.prefit else fitted(estimator, rows, own)
        learner = Learner(
            self._rules(rows), estimator, rows, fold, seed, own, self.n_jobs
        )
        self.estimator_ = model
        learned = learner.learned(model)
        self.gate_, signals = learned.gate, learned.unseen.signals
        self.held_out_scores_ = np.sort(self.gate_.normalisation.flag(signals))
        self._learn_rest(learned, rows)
        detection.warn_of_few(len(rows), self.false_alarm_rate)

    def _check_settings(self) -> None:
        """Say what is wrong with the settings, if anything is."""
        if get_tags(self.estimator).estimator_type != self.kind:
            raise ValueError(
                f"estimator must be a {self.kind} for {type(self).__name__}, got "
                f"{type(self.estimator).__name__}. TrustedRegressor and "
                "TrustedClassifier are for either."
            )
        if self.prefit:
            check_is_fitted(self.estimator)

    def _check_table(self, X: Any, y: Any, weight: Any, groups: Any) -> Table:
        """Return the rows to learn from, or say what is wrong with them."""
        X = check_rows_for(self, self.estimator, X, reset=True)
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is "
                "None. For rows alone there is TrustedDetector."
            )
        y = self._check_targets(y)
        check_consistent_length(X, y)
        if check_weight(weight, y) is not None:
            # As given: to some estimators twice the weight is not the same.
            weight = np.broadcast_to(np.asarray(weight, dtype=np.float64), (len(y),))
        rows = Table(X, y, weight, check_groups(groups, y))
        if rows.weight is not None and not rows.weight.all():
            rows = rows.at(rows.weight > 0)
        if len(rows) < 2:
            raise ValueError(
                "X must have at least 2 rows, one to leave out, got "
                f"n_samples={len(rows)}."
            )
        return rows

    def score_samples(self, X: Any) -> Array:
        """Return how familiar each row is, (rows,), as scikit-learn's detectors do.

        It is `ood_score` with the opposite sign.
        """
        return -self.ood_score(X)

    def as_detector(self) -> TrustedDetector:
        """Return it as one of scikit-learn's detectors.

        There `predict` is ±1, and `decision_function` how far a row is from being
        flagged: a regressor may have none, and a classifier's is about classes.
        """
        check_is_fitted(self)
        return as_detector(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a gate around one of antireg's own to a folder that `load` reads.

        It holds data only, no code; around others, it says what to use instead.

        Parameters
        ----------
        path : str or path
        """
        from antireg.trusted import saving  # noqa: PLC0415  (made of these)

        saving.save(self, path)

    def __sklearn_tags__(self) -> Tags:
        """Return what scikit-learn may know of it."""
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        several = inner.target_tags.multi_output and self.kind == "regressor"
        tags.target_tags.multi_output = several
        tags.non_deterministic = False
        return tags

    @abstractmethod
    def _check_targets(self, y: Any) -> NDArray[Any]:
        """Return targets as the estimator takes them, or say what is wrong."""

    @abstractmethod
    def _labels(self, y: NDArray[Any]) -> NDArray[Any] | None:
        """Return labels of which each must be in every fold, (rows,), if any."""

    @abstractmethod
    def _rules(self, rows: Table) -> Rules:
        """Return the rules for these targets."""

    @abstractmethod
    def _learn_rest(self, learned: Learned, rows: Table) -> None:
        """Learn from rows left out what else there is to know."""
