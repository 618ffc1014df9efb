"""What is checked at the door, before any training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    check_array,
    check_consistent_length,
    validate_data,
)

from antireg.data.stored import Stored, stored_rows
from antireg.networks import ACTIVATIONS
from antireg.scaling import SCALINGS

Array = NDArray[np.float64]


def check_checkpoint(checkpoint: object, random_state: object) -> None:
    """Raise if a training could not be told from another after a crash."""
    if checkpoint is not None and not isinstance(random_state, int | np.integer):
        raise ValueError(
            "random_state must be a whole number with a checkpoint, so that the same "
            f"call is the same training, got {random_state!r}."
        )


def check_validation(given: Any) -> tuple[Any, Any, Any]:
    """Return inputs, targets and weights, None if there are none."""
    sized = isinstance(given, tuple | list)
    if not isinstance(given, tuple) or len(given) not in (2, 3):
        raise ValueError(
            "validation_data must be a tuple (X, y) or (X, y, sample_weight), got "
            f"{type(given).__name__}" + (f" of {len(given)}." if sized else ".")
        )
    return given[0], given[1], given[2] if len(given) == 3 else None


def check_weight(weight: Any, X: Array | Stored) -> Array | None:
    """Return the weights of the rows with a mean of 1, (rows,), if there are any."""
    if weight is None:
        return None
    checked: Array = _check_sample_weight(weight, X, dtype=np.float64)
    if checked.min() < 0:
        raise ValueError(
            f"sample_weight must be 0 or more, got {checked.min():g}. "
            "Give rows that should not count a weight of 0."
        )
    normed: Array = checked / checked.mean()
    return normed


NO_TARGETS = object()


def check_rows(
    model: Any, X: Any, y: Any = NO_TARGETS, *, reset: bool, **rules: Any
) -> tuple[Any, Any]:
    """Return inputs and targets as arrays, or say what is wrong with them.

    A large memmap is looked at piece by piece and stays where it is.

    Args:
        model: The estimator.
        X: Inputs.
        y: Targets, unless only inputs are to be checked.
        reset: Whether to learn the features from them, or to ask for those learnt.
        **rules: For the targets, of scikit-learn's `validate_data`.
    """
    dtype = (np.float64, np.float32)
    stored = stored_rows(X)
    if stored is None and y is NO_TARGETS:
        return validate_data(model, X, reset=reset, dtype=dtype), None
    if stored is None:
        checked: tuple[Any, Any] = validate_data(
            model, X, y, reset=reset, dtype=dtype, **rules
        )
        return checked
    for rows in stored.chunks():  # an error says what is wrong, as for any array
        check_array(rows, dtype=dtype, estimator=model, input_name="X")
    validate_data(model, stored[:1], reset=reset)
    if y is not NO_TARGETS:
        y = _check_y(y, **rules, estimator=model)
        check_consistent_length(stored, y)
    return stored, y


class Given(NamedTuple):
    """Rows as a user gives them: inputs, targets and weights, if there are any."""

    X: Array | Stored
    y: Any
    weight: Array | None

    def where(self, chosen: NDArray[np.bool_]) -> Given:
        """Return the chosen rows."""
        weight = None if self.weight is None else self.weight[chosen]
        return Given(self.X[chosen], self.y[chosen], weight)

    def counted(self) -> Given:
        """Return the rows of weight > 0; all of them, uncopied, if none is 0."""
        if self.weight is None or self.weight.all():
            return self
        return self.where(self.weight > 0)

    def places(self) -> NDArray[np.intp]:
        """Return which rows have a weight > 0, as their places, (counted rows,)."""
        weight = np.ones(len(self.X)) if self.weight is None else self.weight
        return np.flatnonzero(weight)


def check_settings(model: Any) -> None:
    """Raise for the first setting that cannot work."""
    at_least_one = ("n_members", "steps")
    rules: list[tuple[str, Callable[[Any], bool], str]] = [
        *((name, _is_count, "a whole number, 1 or more") for name in at_least_one),
        ("batch_size", lambda n: n == "auto" or _is_count(n), '"auto" or a number ≥ 1'),
        ("epochs", lambda n: n is None or _is_count(n), "None or a whole number ≥ 1"),
        ("hidden", lambda h: all(map(_is_count, h)), "a tuple of layer sizes ≥ 1"),
        ("activation", lambda a: a in ACTIVATIONS, "one of " + ", ".join(ACTIVATIONS)),
        ("scaling", lambda s: s in SCALINGS, "one of " + ", ".join(SCALINGS)),
        (
            "device",
            _is_device,
            '"auto" or a device of PyTorch such as "cpu" or "cuda:0"',
        ),
        ("n_jobs", _is_jobs, "None, -1 for all processors, or a number of workers"),
        ("network", lambda n: n is None or callable(n), "a module or a function"),
        ("callbacks", lambda c: all(map(callable, c)), "a sequence of functions"),
        ("lr", lambda v: v > 0, "more than 0"),
        ("validation_fraction", lambda v: 0 < v < 1, "between 0 and 1"),
        ("false_alarm_rate", lambda v: 0 < v < 1, "between 0 and 1"),
        ("robust", lambda v: isinstance(v, bool | np.bool_), "True or False"),
    ]
    for name, holds, rule in rules:
        value = getattr(model, name)
        try:
            fine = holds(value)
        except TypeError:
            fine = False
        if not fine:
            raise ValueError(f"{name} must be {rule}, got {value!r}.")


def _is_count(value: Any) -> bool:
    return isinstance(value, int | np.integer) and value is not True and int(value) >= 1


def _is_jobs(value: Any) -> bool:
    return value is None or (isinstance(value, int | np.integer) and int(value) != 0)


def _is_device(name: Any) -> bool:
    try:
        there = name == "auto" or torch.device(name).type != "cuda"
        return there or torch.cuda.is_available()
    except RuntimeError:
        return False
