"""The encoding of tables as a transformer of scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from antireg.predictive.values import Array
from antireg.tables import frames
from antireg.tables.encoding import Encoding
from antireg.tables.names import listing


@dataclass(frozen=True, eq=False)
class Encoded:
    """Rows of a table that are numbers already, as estimators take them too.

    Attributes:
        values: (rows, features), perhaps on disk.
        words: What training never had in each row, "" if nothing, (rows,).
        encoding: Which made them; None for rows that came as an array.
    """

    values: Any
    words: Sequence[str] = ()
    encoding: Encoding | None = None

    def at(self, places: NDArray[np.intp]) -> Encoded:
        """Return some of the rows, without words."""
        return Encoded(self.values[places])


class TableEncoder(TransformerMixin, BaseEstimator):
    """Turns tables with words, gaps, dates and truth values into numbers.

    It is how `antireg fit` and `EnsembleRegressor().fit(frame, y)` read tables:
    docs/tables.md says what becomes of each kind of column. It is needed only where
    another step of a `Pipeline` shall come between, or for other estimators.

    Parameters
    ----------
    categorical : sequence of str, default=()
        Columns whose numbers are only names, such as post codes.
    most_categories : int, default=100
        Columns with more different words are refused.

    Attributes
    ----------
    encoding_ : Encoding
        How each column is read.
    n_features_in_ : int
        Columns of the table.
    feature_names_in_ : array of str
        Their names.

    Examples
    --------
    >>> import pandas as pd
    >>> from antireg import TableEncoder
    >>> frame = pd.DataFrame({"area": [60.0, None], "heating": ["gas", "oil"]})
    >>> encoder = TableEncoder().fit(frame)
    >>> encoder.get_feature_names_out().tolist()[:3]
    ['area', 'area is missing', 'heating = gas']
    >>> encoder.transform(frame).tolist()
    [[60.0, 0.0, 1.0, 0.0, 0.0], [60.0, 1.0, 0.0, 1.0, 0.0]]
    """

    encoding_: Encoding
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def __init__(
        self, *, categorical: Sequence[str] = (), most_categories: int = 100
    ) -> None:
        """Store the settings."""
        self.categorical = categorical
        self.most_categories = most_categories

    @classmethod
    def of(cls, encoding: Encoding) -> TableEncoder:
        """Return an encoder that is fitted, of a known encoding."""
        encoder = cls()
        encoder.encoding_ = encoding
        names = [column.name for column in encoding.columns]
        encoder.n_features_in_ = len(names)
        encoder.feature_names_in_ = np.array(names, dtype=object)
        return encoder

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the columns of a table.

        Parameters
        ----------
        X : table of pandas, Polars or Arrow; or an array of numbers and NaN
        y : ignored

        Returns
        -------
        self
        """
        table = self._table(X, reset=True)
        from antireg.tables.learning import (  # noqa: PLC0415  (needs pyarrow)
            IN_PYTHON,
            learn_columns,
        )

        unknown = [n for n in self.categorical if n not in table.column_names]
        if unknown:
            raise ValueError(
                f"categorical must name columns of X, got {listing(unknown)}. X has "
                f"{listing(table.column_names)}."
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a column that counts the rows
            columns = learn_columns(
                zip(table.column_names, table.columns, strict=True),
                self.categorical,
                self.most_categories,
                ways=IN_PYTHON,
            )
        self.encoding_ = Encoding(columns, "target", "numeric")
        return self

    def transform(self, X: Any) -> Array:
        """Return a table as numbers, (rows, features).

        A category that no training row had has a feature of its own, and a gap where
        there never was one is filled with the mean.
        """
        return np.asarray(self.encoded(X).values)

    def encoded(self, X: Any) -> Encoded:
        """Return a table as numbers, with what training never had in it."""
        check_is_fitted(self)
        table = self._table(X, reset=False)
        from antireg.tables.pieces import Wanted  # noqa: PLC0415  (needs pyarrow)

        encoding = self.encoding_
        wanted = Wanted(encoding.types, values=encoding.words)
        batches = table.combine_chunks().to_batches()
        if not batches:
            raise ValueError("X must have at least one row, got none.")
        parts = [encoding.encode(*wanted.typed(batch, first=True)) for batch in batches]
        values, words = zip(*parts, strict=True)
        together = values[0] if len(values) == 1 else np.concatenate(values)
        return Encoded(together, [word for some in words for word in some], encoding)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the features, (features,)."""
        check_is_fitted(self)
        return np.array(self.encoding_.features, dtype=object)

    def named(self, target: str, kind: str) -> TableEncoder:
        """Return the same encoder for a table in which the target has that name."""
        return TableEncoder.of(replace(self.encoding_, target=target, target_kind=kind))

    def _table(self, X: Any, *, reset: bool) -> Any:
        """Return the columns of training, as a table of Arrow."""
        if not frames.is_frame(X):
            X = validate_data(
                self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan"
            )
            made = [f"x{number}" for number in range(X.shape[1])]
            return frames.table_of_array(X, made if reset else self._known())
        names = frames.frame_names(X)
        if reset:
            self.n_features_in_ = len(names)
            self.feature_names_in_ = np.array(names, dtype=object)
        else:
            frames.check_columns(names, self._known())
            names = self._known()
        return frames.arrow_table(X, names)

    def _known(self) -> list[str]:
        return [column.name for column in self.encoding_.columns]

    def __sklearn_tags__(self) -> Tags:
        """Return what scikit-learn may know of it."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
