"""What enters the networks: arrays as they are, and tables by their encoding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from antireg.rows.checks import check_rows
from antireg.rows.scaling import Scaling
from antireg.tables import frames
from antireg.tables.encoder import Encoded, TableEncoder


class Door:
    """Lets rows into a model, and tells which of them hold what training never had."""

    encoder_: TableEncoder | None = None
    """How tables become numbers; None if `fit` was given an array."""
    scaling_: Scaling
    n_features_in_: int

    @property
    def n_inputs_(self) -> int:
        """Numbers that the networks take for each row."""
        return len(self.scaling_.shift)

    def entering(self, X: Any) -> Encoded:
        """Return rows as numbers, with what training never had in each of them.

        Args:
            X: An array, a table, or what this returned.
        """
        check_is_fitted(self)
        encoder = self.encoder_
        if isinstance(X, Encoded):
            return X
        plain = encoder is None or encoder.encoding_.plain
        table = encoder is not None and frames.is_frame(X)
        if (
            encoder is not None
            and table
            and not (plain and frames.holds_only_numbers(X))
        ):
            return encoder.encoded(X)
        if plain:
            return Encoded(check_rows(self, X, reset=False)[0])
        return Encoded(_numbers(X, self.n_inputs_, type(self).__name__))

    def _learned(self, X: Any, weight: Any) -> Any:
        """Return rows to learn from as numbers; learn how, unless they are numbers.

        Args:
            X: An array, a table, or rows of a table that are encoded already.
            weight: Of the rows; those of weight 0 tell nothing.
        """
        if isinstance(X, Encoded):
            assert X.encoding is not None
            self.encoder_ = TableEncoder.of(X.encoding)
            return X.values
        if not frames.is_frame(X) or frames.holds_only_numbers(X):
            return X
        table = frames.arrow_table(X)
        self.encoder_ = TableEncoder().fit(_counted(table, weight))
        return self.encoder_.encoded(table).values

    def _encoded(self, X: Any) -> Any:
        """Return more rows like those of `_learned`."""
        if isinstance(X, Encoded):
            return X.values
        if self.encoder_ is None or not frames.is_frame(X):
            return X
        return self.encoder_.encoded(X).values

    def _keep_columns(self, X: Any, y: Any, weight: Any) -> None:
        """Remember the columns and the target that checked rows came with."""
        encoder = self.encoder_
        if encoder is None and _has_names(X) and frames.arrow_is_there():
            encoder = TableEncoder().fit(_counted(frames.arrow_table(X), weight))
        if encoder is None:
            return
        if not isinstance(X, Encoded):  # which knows its target
            label = getattr(self, "classes_", np.zeros(1)).tolist()[0]
            kind = {str: "categorical", bool: "boolean"}.get(type(label), "numeric")
            encoder = encoder.named(frames.target_name(y), kind)
        self._take_encoder(encoder)

    def _take_encoder(self, encoder: TableEncoder) -> None:
        """Read tables in this way."""
        self.encoder_ = encoder
        if not encoder.encoding_.plain:
            self.n_features_in_ = encoder.n_features_in_
            self.feature_names_in_ = encoder.feature_names_in_


def _has_names(X: Any) -> bool:
    """Return whether X is a table whose columns have names, which are text."""
    if not frames.is_frame(X):
        return False
    names: Sequence[Any] = getattr(X, "column_names", X.columns)
    return all(isinstance(name, str) for name in names)


def _counted(table: Any, weight: Any) -> Any:
    """Return the rows of weight > 0 of a table of Arrow."""
    if weight is None or np.isscalar(weight) or len(weight) != table.num_rows:
        return table  # a wrong number of weights is said later
    weight = np.asarray(weight, dtype=np.float64)
    return table if weight.all() else table.filter(weight > 0)


def _numbers(X: Any, n_inputs: int, model: str) -> Any:
    """Return an array that has been encoded elsewhere."""
    values = check_array(X, dtype=(np.float64, np.float32), input_name="X")
    if values.shape[1] != n_inputs:
        raise ValueError(
            f"X must be a table with the columns of training, or their {n_inputs} "
            f"encoded features, for this {model}, got an array of {values.shape[1]}."
        )
    return values
