"""Rows of arrays and of data frames, and frames as columns of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from antireg.tables.encoder import TableEncoder

Array = NDArray[np.float64]

MOST_CATEGORIES = 255


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


def frame_encoder(frame: Any) -> TableEncoder:
    """Return how a frame with words becomes numbers, as `antireg fit` reads tables.

    Args:
        frame: Training rows.
    """
    try:
        return TableEncoder(most_categories=MOST_CATEGORIES).fit(frame)
    except ValueError as error:
        raise ValueError(
            "X must be numbers, words, dates and truth values for distances between "
            f"rows: {error} Or give a Pipeline whose first steps make numbers of it."
        ) from error
