"""Why rows are flagged: the columns that make them unfamiliar, in the user's words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from antireg.estimators.doubting import PROTOTYPES, Doubting, doubt_setting
from antireg.estimators.entering import Door
from antireg.familiarity import detection
from antireg.familiarity.detection import Detector
from antireg.predictive.values import Array
from antireg.rows.stored import Stored
from antireg.tables.columns import Column, Seen
from antireg.tables.encoder import Encoded
from antireg.tables.encoding import Encoding
from antireg.tables.explaining import Explaining
from antireg.training.provenance import TrainingData


def check_is_asked(model: Any, how: str) -> None:
    """Raise for a model that is not one of ours, or not fitted.

    Args:
        model: Given by a user.
        how: What is to be done with it, such as "evaluated".
    """
    if not hasattr(model, "said"):
        raise TypeError(
            f"model must be one of antireg's to be {how}, got {type(model).__name__}. "
            "Put it into a TrustedRegressor or a TrustedClassifier first."
        )
    check_is_fitted(model)


class Telling(ABC):
    """Says which scores are flagged, and why, by the columns of a row."""

    held_out_scores_: Array
    false_alarm_rate: float

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

    def reasons(
        self, X: Any, top: int = 3, false_alarm_rate: float | None = None
    ) -> list[list[str]]:
        """Return why rows are flagged, the most telling reason first, (rows,).

        Each reason names a column and its value: "area -999: below all 2,344 seen (12 …
        2,150)". docs/tables.md lists them. Columns of a pipeline in a gate are those
        that its last step sees. Rows that `is_ood` does not flag have no reasons.

        Parameters
        ----------
        X : (rows, ...)
        top : int, default=3
            Reasons for each row at most.
        false_alarm_rate : float, optional
            Overrides the model's own.
        """
        rows = self.entering(X)
        flags = self.detector(false_alarm_rate).flag(self.ood_score(rows), rows.words)
        places = np.flatnonzero(flags)
        on_disk = isinstance(rows.values, Stored)
        values = rows.values[flags][:] if on_disk else rows.values[places]
        words = [rows.words[place] for place in places.tolist()] if rows.words else ()
        found: list[list[str]] = [[] for _ in flags]
        for place, why in zip(places, self.reasons_of(values, words, top), strict=True):
            found[place] = why
        return found

    @abstractmethod
    def entering(self, X: Any) -> Encoded:
        """Return rows as numbers, (rows, columns)."""

    @abstractmethod
    def ood_score(self, X: Any) -> Array:
        """Return how unfamiliar each row is, (rows,)."""

    @abstractmethod
    def reasons_of(
        self, X: Array, words: Sequence[str] = (), top: int = 3
    ) -> list[list[str]]:
        """Return what is unusual about rows of `entering`, flagged or not."""


class Reasoning(Door, Telling):
    """Says which columns make rows unfamiliar."""

    training_data_: TrainingData
    doubt_: Doubting | None

    def reasons_of(
        self, X: Array, words: Sequence[str] = (), top: int = 3
    ) -> list[list[str]]:
        """Return what is unusual about rows, flagged or not.

        Parameters
        ----------
        X : (rows, inputs)
            Numbers, encoded if they are of a table.
        words : (rows,)
            What training never had in each row, "" if nothing.
        top : int, default=3
        """
        return self.explaining()(np.asarray(X, dtype=np.float64), words, top)

    def explaining(self) -> Explaining:
        """Return what finds the columns, and the words for them."""
        encoding = self.columns()
        doubting = self.doubt_
        blame = None if doubting is None else doubting.blame(encoding.owners)
        exact = doubt_setting(self) != PROTOTYPES
        return Explaining(encoding, self.scaling_, self.training_data_, blame, exact)

    def columns(self) -> Encoding:
        """Return the columns of the table that it was fitted on, or of the array."""
        if self.encoder_ is not None:
            return self.encoder_.encoding_
        training, n_inputs = self.training_data_, self.n_inputs_
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = [f"x{number}" for number in range(n_inputs)]
        fills = self.scaling_.unscaled(training.mean)
        seen: list[Seen | None] = [None] * n_inputs
        if training.low is not None and training.high is not None:
            ends = zip(training.low.tolist(), training.high.tolist(), strict=True)
            seen = [Seen(training.n_rows, low, high) for low, high in ends]
        columns = [
            Column(str(name), "numeric", float(fill), seen=range_)
            for name, fill, range_ in zip(names, fills, seen, strict=True)
        ]
        return Encoding(tuple(columns), "target", "numeric")
