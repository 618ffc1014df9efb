"""Checks the settings of an estimator."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from antireg.estimators.doubting import DOUBTS
from antireg.networks import ACTIVATIONS
from antireg.networks.trained_before import warn_of_trained
from antireg.rows.checks import LARGEST, shown
from antireg.rows.scaling import SCALINGS

LARGEST_SEED = 2**32 - 1
MOST = {
    **{"n_members": 10**6, "n_jobs": 10**4},
    "bins": 10**4,
    **dict.fromkeys(("steps", "epochs", "patience", "batch_size"), 10**12),
}
"""Beyond these, training never ends and counters of other packages overflow."""

LEAST = {"false_alarm_rate": 1e-12, "n_jobs": -(10**4)}
"""Below these, the rows needed, or the workers, can no longer be counted."""

_BOOLEANS = (bool, np.bool_, int, np.integer)
_RANDOM = np.random.RandomState


def check_checkpoint(checkpoint: object, random_state: object) -> None:
    """Raise if a checkpoint could not be matched to its training after a crash."""
    if checkpoint is not None and not isinstance(random_state, int | np.integer):
        raise ValueError(
            "random_state must be a whole number with a checkpoint, so that the same "
            f"call is the same training, got {random_state!r}. For example: "
            "random_state=0."
        )


def check_settings(model: Any) -> None:
    """Raise for the first invalid setting, and warn of a network that is trained."""
    given = model.get_params(deep=False)
    for name, holds, rule in RULES:
        value, allowed = given[name], holds
        if name == "target_transform" and model.kind != "regressor":
            allowed = _is_none
        try:
            fine = bool(allowed(value))
        except Exception:  # a value of any type may raise anything
            fine = False
        if not fine:
            raise ValueError(f"{name} must be {rule}, got {shown(value)}.")
        _check_bounds(name, value)
    _check_is_there(model.device)
    warn_of_trained(model.network)


def _check_bounds(name: str, value: Any) -> None:
    """Raise for a number beyond those that can be counted."""
    if name in LEAST and value is not None and value < LEAST[name]:
        raise ValueError(
            f"{name} must be {LEAST[name]:g} at least, got {shown(value)}."
        )
    counted = isinstance(value, int | np.integer)
    if name in MOST and counted and value > MOST[name]:
        raise ValueError(f"{name} must be {MOST[name]} at most, got {shown(value)}.")


def _is_none(value: Any) -> bool:
    return value is None


def _is_count(value: Any) -> bool:
    return isinstance(value, int | np.integer) and value is not True and int(value) >= 1


def _count_or(*words: str | None) -> Callable[[Any], bool]:
    """Return what tells whether a value is one of these, or a count."""

    def holds(value: Any) -> bool:
        return any(value is w or value == w for w in words) or _is_count(value)

    return holds


def _is_jobs(value: Any) -> bool:
    return value is None or (isinstance(value, int | np.integer) and int(value) != 0)


def _is_device(name: Any) -> bool:
    try:
        return name == "auto" or torch.device(name) is not None
    except RuntimeError:
        return False


def _number(value: Any) -> float:
    """Return a real number as a float; raise for anything else."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError
    return float(value)


def _is_plain(value: Any) -> bool:
    """Return whether NumPy can hold the number; it cannot hold a `Fraction`."""
    return isinstance(value, int | float | np.number)


def _is_sizes(value: Any) -> bool:
    listed = isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)
    return listed and all(map(_is_count, value))


def _is_seed(value: Any) -> bool:
    if isinstance(value, int | np.integer):
        return 0 <= int(value) <= LARGEST_SEED
    return value is None or value is np.random or isinstance(value, _RANDOM)


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


SHARE = "between 0 and 1"
TRUTH = "True or False"
RULES: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("n_members", _is_count, "a whole number, 1 or more"),
    ("steps", _is_count, "a whole number, 1 or more"),
    ("batch_size", _count_or("auto"), '"auto" or a number ≥ 1'),
    ("epochs", _count_or(None), "None or a whole number ≥ 1"),
    ("patience", _count_or(None, "auto"), '"auto", None or a whole number ≥ 1'),
    ("hidden", _is_sizes, "a tuple of layer sizes ≥ 1"),
    ("bins", _count_or(None, "auto"), '"auto", None or a whole number ≥ 1'),
    ("activation", lambda a: a in ACTIVATIONS, "one of " + ", ".join(ACTIVATIONS)),
    ("scaling", lambda s: s in SCALINGS, "one of " + ", ".join(SCALINGS)),
    ("device", _is_device, '"auto" or a device of PyTorch such as "cpu" or "cuda"'),
    ("n_jobs", _is_jobs, "None, -1 for all processors, or a number of workers"),
    ("network", lambda n: n is None or callable(n), "a module or a function"),
    ("callbacks", lambda c: all(map(callable, c)), "a sequence of functions"),
    (
        "lr",
        lambda v: v == "auto" or (0 < _number(v) < LARGEST and _is_plain(v)),
        f'"auto" or a number above 0 and below {LARGEST:.0e}',
    ),
    ("validation_fraction", lambda v: 0 < _number(v) < 1, SHARE),
    ("false_alarm_rate", lambda v: 0 < _number(v) < 1, SHARE),
    ("validation_fraction", _is_plain, "an int or a float"),
    ("false_alarm_rate", _is_plain, "an int or a float"),
    ("loss", lambda v: isinstance(v, str), '"auto" or the name of a loss'),
    ("verbose", lambda v: isinstance(v, _BOOLEANS), TRUTH),
    (
        "random_state",
        _is_seed,
        f"None, a whole number from 0 to {LARGEST_SEED} or a RandomState of NumPy",
    ),
    ("robust", lambda v: isinstance(v, _BOOLEANS), TRUTH),
    (
        "target_transform",
        lambda v: v is None or v == "log",
        'None, or "log" for a regressor',
    ),
    ("doubt", lambda v: v in DOUBTS, '"rehearsed", "prototypes" or None'),
)
"""Each setting, what it must be, and how an error says so; the first error counts."""
