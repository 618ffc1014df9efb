"""What both kinds of trained networks share: calibrated by rows they do not know."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted
from torch import Tensor

from antireg.estimators.calibrated import Calibrated
from antireg.estimators.doubting import Said
from antireg.estimators.members import unfitted_copy
from antireg.familiarity import detection
from antireg.process import own_modes
from antireg.rows.checks import Labelled, check_weight
from antireg.trained.asked import Asked
from antireg.trained.inputs import check_inputs, parts_of
from antireg.trained.learning import learn
from antireg.trained.modules import Modules
from antireg.trained.reading import Reading, Rows, passed

Array = NDArray[np.float64]


class Networks(Asked, BaseEstimator):
    """Trained networks that say what they do not know; subclasses define targets."""

    kind: ClassVar[str]

    modules_: Modules
    meaning_: str
    reader_: Any
    """An ensemble that was calibrated with the networks' outputs: it says what they
    mean."""
    input_shape_: tuple[int, ...]

    def __init__(
        self,
        networks: Any,
        *,
        outputs: str = "auto",
        false_alarm_rate: float = 0.05,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        """Store the settings."""
        self.networks = networks
        self.outputs = outputs
        self.false_alarm_rate = false_alarm_rate
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        reference: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn what the networks' outputs are worth; the networks stay as they are.

        Parameters
        ----------
        X : (rows, ...)
            Rows that the networks were not trained on, as they take them.
        y : (rows,) or (rows, targets)
            Targets in the units of the outputs, or classes.
        reference : (rows, ...), optional
            Rows that they were trained on, to compare new rows with; up to 10,000 are
            kept. Without any, those of X are compared with each other.
        sample_weight : (rows,), optional
            How much each row of X counts. Rows of weight 0 are left out.

        Returns
        -------
        self
        """
        learner = unfitted_copy(self)  # a fit that fails leaves this one as it was
        X = check_inputs(learner, X, "X", reset=True)
        y = learner._check_targets(y)
        check_consistent_length(X, y)
        rows = Labelled(X, y, check_weight(sample_weight, X)).counted()
        if len(rows.X) < 2:
            raise ValueError(f"X must have at least 2 rows, got {len(rows.X)}.")
        if reference is not None:
            reference = check_inputs(learner, reference, "reference", reset=False)
        with own_modes():
            learner._learn(rows, reference)
        n_scores = len(learner.held_out_scores_)
        detection.warn_of_few(n_scores, self.false_alarm_rate)
        self.__dict__ = learner.__dict__
        return self

    def _learn(self, rows: Labelled, reference: Rows | None) -> None:
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        X, y, weight = np.asarray(rows.X), rows.y, rows.weight
        self.modules_ = Modules.of(self.networks, torch.from_numpy(X))
        said = passed(self.modules_, X)
        if not np.isfinite(said.outputs).all():
            raise ValueError(
                "networks must say finite numbers of X, got some that are not. Is X "
                "scaled as it was in their training?"
            )
        outputs = torch.from_numpy(said.outputs)
        self.reader_ = self._reader(outputs, y)
        targets = self.reader_._encode(y)
        self.reader_._learn_noise(self._meant(outputs).numpy(), targets, weight)
        reading = self._reading()
        viewed = reading(X, said)
        self.comparing_ = learn(reading, viewed, targets, weight, reference, seed)

    def _reading(self) -> Reading:
        return Reading(self.modules_, self._meant, self.reader_)

    def said(self, X: Any) -> Said:
        """Return what networks say of rows, and how unfamiliar these are.

        `predictive_of` and `score_of` interpret it, both after a single pass.
        """
        check_is_fitted(self)
        X = check_inputs(self, X, "X", reset=False)
        parts = [self._said_of(X[part]) for part in parts_of(X)]
        said = np.concatenate([part.outputs for part in parts], axis=1)
        unfamiliar = np.concatenate([np.asarray(part.unfamiliar) for part in parts])
        return Said(said, unfamiliar, np.concatenate([self.score_of(p) for p in parts]))

    def _said_of(self, X: Rows) -> Said:
        raw = passed(self.modules_, X)  # with as many threads as the caller allows
        with own_modes():
            viewed = self._reading()(X, raw)
            seen, doubting = self.comparing_.seen(viewed), self.reader_.doubt_
            said: Said = doubting.said(viewed.outputs, seen)
        return said

    def predictive_of(self, said: Said) -> Any:
        """Return what was said of rows means, with doubt.

        Parameters
        ----------
        said : Said
            From `said(X)`, or its `alone` for the answer without doubt.
        """
        return self.reader_.predictive_of(said)

    def score_of(self, said: Said) -> Array:
        """Return the score that `is_ood` compares with its threshold, (rows,)."""
        return np.asarray(said.score)

    def weight_of(self, said: Said) -> Array:
        """Return the doubt of rows of which this was said, (rows,)."""
        weight: Array = self.reader_.doubt_.weight(said.unfamiliar)
        return weight

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all but the modules' code to a folder that `antireg.load` reads.

        Parameters
        ----------
        path : str or path
        """
        from antireg.trained import saving  # noqa: PLC0415  (made of these)

        saving.save(self, path)

    @abstractmethod
    def _check_targets(self, y: Any) -> NDArray[Any]:
        """Return targets as an array, or say what is wrong with them."""

    @abstractmethod
    def _reader(self, raw: Tensor, y: NDArray[Any]) -> Calibrated:
        """Find out what outputs mean; return what reads them, not yet calibrated."""

    @abstractmethod
    def _meant(self, raw: Tensor) -> Tensor:
        """Return outputs in the units of the reader, (members, rows, outputs)."""
