"""Turns outputs into scores and flags, however members were trained: calibration."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from antireg.estimators.doubt_learning import Learned
from antireg.estimators.doubt_rules import DoubtRules
from antireg.estimators.doubting import (
    ABOUT_DOUBT,
    Doubting,
    Said,
    SettingBesideMethod,
    Wanted,
    check_said,
)
from antireg.estimators.older_pickles import filled_in
from antireg.estimators.reasoning import Reasoning
from antireg.estimators.unseen import Unseen
from antireg.familiarity import Seen, detection
from antireg.networks import Centred, Stack
from antireg.networks.inference import Pass, Work, by_passes, by_rows
from antireg.predictive.intervals import Shifts

Array = NDArray[np.float64]
Reader = Callable[[Said], NDArray[Any]]


class Calibrated(Reasoning, BaseEstimator):
    """A model that is calibrated on rows it was not trained on."""

    network_: Stack
    centre_: Stack | None = None
    robust_: bool
    scaled_by_: str
    """`robust` and `scaling` as they were in `fit`; changes need a new `fit`."""
    doubt_: Doubting | None = None
    doubt = SettingBesideMethod()
    takes_centre: ClassVar[bool] = False
    """Whether the mean may be that of another ensemble of the same rows."""
    _doubt_rules: ClassVar[type[DoubtRules]]

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was pickled, perhaps by an older version."""
        super().__setstate__(filled_in(state))

    def _calibrate(self, unseen: Unseen) -> None:
        """Learn noise or probabilities, intervals, and the threshold of flags.

        Args:
            unseen: Rows that the members were not trained on, with their outputs.
        """
        targets = self._encode(unseen.y)
        self._learn_noise(unseen.outputs, targets, unseen.weight)
        self._learn_intervals(Said(unseen.outputs), targets, unseen.weight)
        self.held_out_scores_ = np.sort(self._unseen_scores(unseen))
        n_scores = len(self.held_out_scores_)
        detection.warn_of_few(n_scores, self.false_alarm_rate)

    def _learn_intervals(
        self, said: Said, targets: Array, weight: Array | None, shifts: Shifts = ()
    ) -> None:
        """Learn from validation rows and rehearsed shifts how wide intervals are."""

    def _calibrate_doubt(self, learned: Learned) -> None:
        """Set the doubt, and learn intervals and the threshold with it."""
        self.doubt_, rows = learned.doubting, learned.usual
        normal = self.doubt_.normalisation
        unfamiliar = normal.unfamiliar(rows.signals)
        said = Said(rows.outputs, unfamiliar, on_line=rows.on_line)
        self._learn_intervals(said, rows.targets, rows.weight, learned.shifts)
        self.held_out_scores_ = np.sort(normal.flag(rows.signals))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to a folder that `antireg.load` reads.

        It holds data only, no code. A model already there is replaced.

        Parameters
        ----------
        path : str or path
        """
        from antireg.estimators import saving  # noqa: PLC0415  (made of these)

        saving.save(self, path)

    def ood_score(self, X: Any, kind: str = "auto") -> Array:
        """Return how unfamiliar each row is, (rows,); higher is less familiar.

        With doubt it combines distances, densities, ranges and the members' spread.
        Without, for regression it is the predictive standard deviation of the scaled
        targets; for squared-error classes the distance to the nearest label plus the
        members' variance; for cross-entropy the entropy.

        Parameters
        ----------
        X : (rows, features)
        kind : {"auto", "total", "epistemic"}
            "auto" is the score that `is_ood` uses. "total" is the members' whole
            uncertainty and "epistemic" only their disagreement, both without doubt.
        """
        if kind not in ("auto", "total", "epistemic"):
            raise ValueError(
                f'kind must be "auto", "total" or "epistemic", got {kind!r}.'
            )
        if kind == "auto":
            return self._scores(X)
        return self._by_outputs(X, lambda outputs: self.ood_score_of(outputs, kind))

    def _scores(self, X: Any, threshold: float = 0.0) -> Array:
        """Return the scores that flags go by, exact above a threshold, (rows,)."""
        if self.doubt_ is None:
            return self._by_outputs(X, self.ood_score_of)
        return self._by_rows(X, self.score_of, Wanted(doubt=False, threshold=threshold))

    def predict_doubt(self, X: Any) -> Array:
        """Return how much of each answer is "I do not know", from 0 to 1, (rows,).

        It is what `model.doubt(X)` calls; without doubt it is 0.

        Parameters
        ----------
        X : (rows, features)
        """
        return self._by_rows(X, self.weight_of)

    def weight_of(self, said: Said) -> Array:
        """Return the doubt of rows of which this was said, (rows,)."""
        check_said(said)
        if self.doubt_ is None or said.unfamiliar is None:
            return np.zeros(said.outputs.shape[1])
        return self.doubt_.weight(said.unfamiliar)

    def is_ood(
        self, X: Any, false_alarm_rate: float | None = None
    ) -> NDArray[np.bool_]:
        """Return which rows are out of distribution, (rows,).

        A row is flagged if its `ood_score` is above the threshold, which is set by
        validation rows so that this share of in-distribution rows exceeds it. A row of
        a table is also flagged for a category, or a gap, that training never had.

        Parameters
        ----------
        X : (rows, features)
        false_alarm_rate : float, optional
            Overrides the estimator's own.
        """
        rows, detector = self.entering(X), self.detector(false_alarm_rate)
        return detector.flag(self._scores(rows, detector.threshold), rows.words)

    @property
    def speakers_(self) -> Centred:
        """The members and, if they have one, their centre."""
        return Centred(self.network_, self.centre_)

    def of_members(self, outputs: Array) -> Array:
        """Return the outputs of the members, without those of their centre."""
        if self.centre_ is None:
            return outputs
        return outputs[: self.network_.n_members]

    def outputs(self, X: Any) -> Array:
        """Return the outputs of the members, (members, rows, outputs)."""
        return self._by_outputs(X, lambda outputs: outputs, axis=1)

    def said(self, X: Any) -> Said:
        """Return all networks' outputs and, with doubt, how unfamiliar rows are.

        `predictive_of` and `score_of` interpret it, both after a single pass.
        """
        if self.doubt_ is None:
            return Said(self._by_rows(X, lambda said: said.outputs, axis=1))

        values = self._by_rows(X, Said.side_by_side, Wanted(), axis=1)
        return Said.taken_apart(values, self.doubt_.n_lines)

    def score_of(self, said: Said) -> Array:
        """Return the score that `is_ood` compares with its threshold, (rows,)."""
        check_said(said)
        return self.ood_score_of(said.outputs) if said.score is None else said.score

    def _by_outputs(self, X: Any, work: Work, axis: int = 0) -> NDArray[Any]:
        """Return `work` applied to the members' outputs, a few rows at a time."""
        X = self.entering(X).values
        return by_rows(self.network_, self.scaling_, X, work, axis)

    def _by_rows(
        self, X: Any, work: Reader, wanted: Wanted = ABOUT_DOUBT, axis: int = 0
    ) -> NDArray[Any]:
        """Return `work` applied to what is said of rows, a few rows at a time."""
        X = self.entering(X).values
        speakers, scaling, doubting = self.speakers_, self.scaling_, self.doubt_
        if doubting is None:
            return by_rows(speakers, scaling, X, lambda said: work(Said(said)), axis)
        uncertainty = self._doubt_rules(self).uncertainty

        def said(part: Pass) -> NDArray[Any]:
            seen = Seen(part.inputs, uncertainty(part.outputs), part.hidden)
            return work(doubting.said(part.outputs, seen, wanted))

        hidden = doubting.needs_hidden(wanted)
        return by_passes(speakers, scaling, X, said, axis, hidden=hidden)

    @abstractmethod
    def ood_score_of(self, outputs: Array, kind: str = "total") -> Array:
        """Return the `ood_score` of rows with these outputs, (rows,)."""

    @abstractmethod
    def named_values(self, said: Said, coverage: float) -> dict[str, NDArray[Any]]:
        """Return the columns of a results table for one target, (rows,) each."""

    @abstractmethod
    def _encode(self, y: Any) -> Array:
        """Return targets as the network sees them, (rows, targets)."""

    @abstractmethod
    def _learn_noise(
        self, outputs: Array, targets: Array, weight: Array | None
    ) -> None:
        """Learn from validation rows what the outputs do not contain."""

    @abstractmethod
    def _unseen_scores(self, unseen: Unseen) -> Array:
        """Return scores as new rows would have them, (rows,)."""
