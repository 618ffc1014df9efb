"""Rows of any number of axes, as trained networks take them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data
from torch import Tensor

from antireg.tables.encoder import Encoded

MOST_ROWS, NUMBERS = 256, 2**20
"""Rows that are worked on at a time, and the numbers they may have."""


def parts_of(X: NDArray[np.floating]) -> list[slice]:
    """Return the rows that are worked on at a time."""
    step = max(1, min(MOST_ROWS, NUMBERS // max(1, X[:1].size)))
    return [slice(first, first + step) for first in range(0, len(X), step)]


def check_inputs(model: Any, X: Any, name: str, *, reset: bool) -> NDArray[np.floating]:
    """Return rows as an array, (rows, ...), or say what is wrong with them.

    Args:
        model: Whose `input_shape_` it is to be.
        X: An array, a frame, a tensor, or flattened rows that were checked already.
        name: Of the argument.
        reset: Whether to learn the shape of a row or to require the old one.
    """
    if isinstance(X, Encoded):
        return np.ascontiguousarray(X.values).reshape(-1, *model.input_shape_)
    X = without_tensor(X)
    dtype = (np.float64, np.float32)
    checked: NDArray[np.floating] = validate_data(
        model, X, reset=reset, dtype=dtype, allow_nd=True
    )
    if reset:
        model.input_shape_ = checked.shape[1:]
    if checked.shape[1:] != model.input_shape_:
        raise ValueError(
            f"{name} must have rows of shape {model.input_shape_}, as X of fit, got "
            f"{checked.shape[1:]}."
        )
    return np.ascontiguousarray(checked)


def without_tensor(values: Any) -> Any:
    """Return what is given; a tensor as an array."""
    return values.detach().cpu().numpy() if isinstance(values, Tensor) else values
