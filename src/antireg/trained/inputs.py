"""Rows of any number of axes, as trained networks take them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data
from torch import Tensor


def check_inputs(model: Any, X: Any, name: str, *, reset: bool) -> NDArray[np.floating]:
    """Return rows as an array, (rows, ...), or say what is wrong with them.

    Args:
        model: Whose `input_shape_` it is to be.
        X: An array, a frame or a tensor.
        name: Of the argument.
        reset: Whether to learn the shape of a row or to require the old one.
    """
    if isinstance(X, Tensor):
        X = X.detach().cpu().numpy()
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
