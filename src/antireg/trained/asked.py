"""What reports, monitors and reasons ask of a model, for trained networks."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from antireg.estimators.answering import Answering
from antireg.estimators.doubting import Doubting
from antireg.rows.scaling import Scaling
from antireg.tables.encoder import Encoded
from antireg.tables.encoding import Encoding
from antireg.trained.comparing import Comparing, flattened
from antireg.trained.inputs import check_inputs
from antireg.training.provenance import TrainingData

Array = NDArray[np.float64]


class Asked(Answering):
    """Tells what is known of networks; columns are those of flattened rows."""

    comparing_: Comparing
    reader_: Any

    @property
    def held_out_scores_(self) -> Array:  # type: ignore[override]
        """Scores of validation rows, ascending, (rows,)."""
        scores: Array = self.reader_.held_out_scores_
        return scores

    @property
    def doubt_(self) -> Doubting:
        """How unfamiliar rows are, and how answers change then."""
        doubting: Doubting = self.reader_.doubt_
        return doubting

    @property
    def scaling_(self) -> Scaling:
        """Of flattened inputs, as they are compared."""
        return self.comparing_.scaling

    @cached_property
    def training_data_(self) -> TrainingData:
        """What is known of the rows of training: the references."""
        inputs = self.comparing_.signalling.reference.inputs
        return TrainingData.of_references(inputs, self.scaling_)

    def entering(self, X: Any) -> Encoded:
        """Return rows as numbers, (rows, columns)."""
        check_is_fitted(self)
        if isinstance(X, Encoded):
            return X
        return Encoded(flattened(check_inputs(self, X, "X", reset=False)))

    def reasons_of(
        self, X: Array, words: Sequence[str] = (), top: int = 3
    ) -> list[list[str]]:
        """Return what is unusual about flattened rows, flagged or not.

        Parameters
        ----------
        X : (rows, columns)
        words : (rows,)
            What training never had in each row, "" if nothing.
        top : int, default=3
        """
        reasons: list[list[str]] = self._telling().reasons_of(X, words, top)
        return reasons

    def columns(self) -> Encoding:
        """Return the columns of flattened rows."""
        columns: Encoding = self._telling().columns()
        return columns

    def _telling(self) -> Any:
        """Return a reader that knows the columns too."""
        told = copy.copy(self.reader_)
        told.scaling_, told.training_data_ = self.scaling_, self.training_data_
        if hasattr(self, "feature_names_in_"):
            told.feature_names_in_ = self.feature_names_in_
        return told
