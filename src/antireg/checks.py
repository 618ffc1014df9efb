"""What is checked at the door, before any training."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils.validation import (
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
    if np.isscalar(weight):
        weight = np.full(len(X), weight)
    checked: Array = check_array(
        weight, dtype=np.float64, ensure_2d=False, input_name="sample_weight"
    )
    if checked.shape != (len(X),):
        raise ValueError(
            f"sample_weight must be one number per row, ({len(X)},), got the shape "
            f"{checked.shape}."
        )
    if checked.min() < 0:
        raise ValueError(
            f"sample_weight must be 0 or more, got {checked.min():g}. "
            "Give rows that should not count a weight of 0."
        )
    if not checked.any():
        raise ValueError("sample_weight must have at least one non-zero number.")
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
        y = validate_data(model, y=y, reset=False, **rules)
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


LARGEST = 1e30
"""Settings stay below it, far from where single precision ends."""

LARGEST_SEED = 2**32 - 1
MOST = {"n_members": 10**6, "steps": 10**12, "epochs": 10**12, "n_jobs": 10**4}
"""Beyond these nothing ends, and counters of other packages overflow."""

LEAST = {"false_alarm_rate": 1e-12}
"""Below it the rows that it would take can no longer be counted."""

_BOOLEANS = (bool, np.bool_, int, np.integer)
_RANDOM = np.random.RandomState


def check_settings(model: Any) -> None:
    """Raise for the first setting that cannot work."""
    at_least_one = ("n_members", "steps")
    rules: list[tuple[str, Callable[[Any], bool], str]] = [
        *((name, _is_count, "a whole number, 1 or more") for name in at_least_one),
        ("batch_size", lambda n: n == "auto" or _is_count(n), '"auto" or a number ≥ 1'),
        ("epochs", lambda n: n is None or _is_count(n), "None or a whole number ≥ 1"),
        ("hidden", _is_sizes, "a tuple of layer sizes ≥ 1"),
        ("activation", lambda a: a in ACTIVATIONS, "one of " + ", ".join(ACTIVATIONS)),
        ("scaling", lambda s: s in SCALINGS, "one of " + ", ".join(SCALINGS)),
        ("device", _is_device, '"auto" or a device of PyTorch such as "cpu" or "cuda"'),
        ("n_jobs", _is_jobs, "None, -1 for all processors, or a number of workers"),
        ("network", lambda n: n is None or callable(n), "a module or a function"),
        ("callbacks", lambda c: all(map(callable, c)), "a sequence of functions"),
        ("lr", lambda v: 0 < _number(v) < LARGEST, "more than 0"),
        ("validation_fraction", lambda v: 0 < _number(v) < 1, "between 0 and 1"),
        ("false_alarm_rate", lambda v: 0 < _number(v) < 1, "between 0 and 1"),
        ("loss", lambda v: isinstance(v, str), '"auto" or the name of a loss'),
        ("verbose", lambda v: isinstance(v, _BOOLEANS), "True or False"),
        (
            "random_state",
            _is_seed,
            f"None, a whole number from 0 to {LARGEST_SEED} or a RandomState of NumPy",
        ),
        ("robust", lambda v: isinstance(v, _BOOLEANS), "True or False"),
    ]
    for name, holds, rule in rules:
        value = getattr(model, name)
        try:
            fine = holds(value)
        except Exception:  # whatever a strange object does when it is asked
            fine = False
        if not fine:
            raise ValueError(f"{name} must be {rule}, got {shown(value)}.")
        if name in LEAST and value < LEAST[name]:
            raise ValueError(
                f"{name} must be {LEAST[name]:g} at least, got {shown(value)}."
            )
        if name in MOST and value is not None and value > MOST[name]:
            raise ValueError(
                f"{name} must be {MOST[name]} at most, got {shown(value)}."
            )
    _check_is_there(model.device)


def shown(value: object) -> str:
    """Return a value as Python writes it, in one line that is not too long."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # of an object that cannot even say what it is
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:79]}…"


def _number(value: Any) -> float:
    """Return a real number as a float; raise for anything else."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError
    return float(value)


def _is_sizes(value: Any) -> bool:
    listed = isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)
    return listed and all(map(_is_count, value))


def _is_seed(value: Any) -> bool:
    if isinstance(value, int | np.integer):
        return 0 <= int(value) <= LARGEST_SEED
    return value is None or value is np.random or isinstance(value, _RANDOM)


def _is_count(value: Any) -> bool:
    return isinstance(value, int | np.integer) and value is not True and int(value) >= 1


def _is_jobs(value: Any) -> bool:
    return value is None or (isinstance(value, int | np.integer) and int(value) != 0)


def _is_device(name: Any) -> bool:
    try:
        return name == "auto" or torch.device(name) is not None
    except RuntimeError:
        return False


def _check_is_there(name: str) -> None:
    """Raise for a device that this machine does not have."""
    if name == "auto":
        return
    try:
        torch.empty(0, device=name)
    except (AssertionError, NotImplementedError, RuntimeError) as error:
        why = str(error).splitlines()[0].rstrip(".")
        raise ValueError(
            f"device must be one that PyTorch can use here, got {str(name)!r} ({why}). "
            'Use "auto", which takes a GPU if there is one, or "cpu".'
        ) from error
