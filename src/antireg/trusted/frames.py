"""Rows of arrays and of data frames, and frames as columns of numbers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Places = NDArray[np.intp]

MOST_CATEGORIES = 255


def is_frame(X: Any) -> bool:
    """Return whether X has named columns: a frame of pandas or Polars."""
    return hasattr(X, "columns") and hasattr(X, "shape")


def taken(X: Any, places: NDArray[Any]) -> Any:
    """Return some rows of an array or a frame, in the order given.

    Args:
        X: Rows.
        places: Which, as integers or as a mask, (rows,).
    """
    if places.dtype == bool:
        places = np.flatnonzero(places)
    return X.iloc[places] if hasattr(X, "iloc") else X[places]


def as_numbers(X: Any) -> Array | None:
    """Return rows as float64, (rows, columns); None if they hold words.

    Args:
        X: An array, a sparse one, or a frame.
    """
    if hasattr(X, "toarray"):
        X = X.toarray()
    try:
        return np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return None


class FrameEncoding:
    """A frame with words as numbers, as `antireg fit` reads tables.

    Args:
        frame: Training rows.
    """

    def __init__(self, frame: Any) -> None:
        """Learn the columns."""
        from antireg.tables.encoding import Encoding  # noqa: PLC0415  (needs pyarrow)
        from antireg.tables.learning import learn_columns  # noqa: PLC0415

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a column that counts the rows
            try:
                table = _table(frame)
                named = zip(table.column_names, table.columns, strict=True)
                columns = learn_columns(named, (), MOST_CATEGORIES)
            except ValueError as error:
                raise ValueError(
                    "X must be numbers, words, dates and truth values for distances "
                    f"between rows: {error} Or give a Pipeline whose first steps make "
                    "numbers of it."
                ) from error
        self._encoding = Encoding(columns, "", "numeric")

    @property
    def owners(self) -> Places:
        """Which column of the frame each number comes from, (columns,)."""
        return self._encoding.owners

    def __call__(self, frame: Any) -> Array:
        """Return numbers, (rows, columns)."""
        (batch,) = _table(frame).combine_chunks().to_batches()
        return self._encoding.encode(batch)[0]


def _table(frame: Any) -> Any:
    """Return a frame as a table of Arrow."""
    try:
        import pyarrow as pa  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            "X with words needs pyarrow to take distances between rows. Install "
            '"antireg[tables]", or give a Pipeline whose first steps make numbers.'
        ) from error
    if hasattr(frame, "to_arrow"):
        return frame.to_arrow()
    return pa.Table.from_pandas(frame, preserve_index=False)
