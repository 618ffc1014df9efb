"""Settings, methods and labels as JSON, and back with every value checked."""

from __future__ import annotations

import inspect
import math
import numbers
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antireg.methods import METHODS, Method
from antireg.storage.fields import Fields

NOT_STORED = ("method", "network", "callbacks")
"""Settings that are code, or stored elsewhere."""

MAY_BE_NONE = ("bins", "doubt", "patience")
"""Settings that may be None where the default is a word."""

LARGEST_LABELS = 2**26
"""Bytes of all labels: NumPy gives each the width of the longest."""


def described_settings(model: Any) -> dict[str, Any]:
    """Return the settings of an estimator that are data."""
    defaults = inspect.signature(type(model)).parameters
    settings = {
        name: _described(value, defaults[name].default)
        for name, value in model.get_params(deep=False).items()
        if name not in NOT_STORED
    }
    if not isinstance(settings["random_state"], int | None):
        settings["random_state"] = None  # the state of a generator is not a setting
    return settings | {"method": described_method(model.method)}


def settings_from(fields: Fields, estimator: type) -> dict[str, Any]:
    """Return the settings for that estimator.

    Settings that only another version has are dropped: settings say how to train
    again, not what the stored weights compute.
    """
    known = inspect.signature(estimator).parameters
    settings: dict[str, Any] = {}
    for name, value in fields.values.items():
        if name == "method":
            named = isinstance(value, str) and value in ("auto", *METHODS)
            settings[name] = value if named else method_from(fields.inner(name))
        elif name in known and name not in NOT_STORED:
            settings[name] = _like(fields, name, known[name].default)
    return settings


def described_method(method: Method | str) -> Any:
    """Return a method as its name and settings."""
    if isinstance(method, str):
        return method
    names = [name for name, kind in METHODS.items() if kind is type(method)]
    if not names:
        raise ValueError(
            f"method must be one of {', '.join(METHODS)} to be saved, got a "
            f"{type(method).__name__}, which is code. Use pickle or joblib, for "
            "yourself only."
        )
    defaults = METHODS[names[0]]().get_params()
    settings = {
        name: _described(value, defaults[name])
        for name, value in method.get_params().items()
    }
    return {"name": names[0], "settings": settings}


def method_from(fields: Fields) -> Method:
    """Return the method of that name and settings."""
    method = METHODS[fields.choice("name", METHODS)]()
    settings = fields.inner("settings")
    known = method.get_params()
    for name, value in settings.values.items():
        if name not in known or (value == "auto" and known[name] == "auto"):
            continue
        read: float | str
        if name in method.words:
            read = settings.choice(name, method.words[name])
        elif isinstance(known[name], int):
            read = settings.count(name)
        else:
            read = float(value) if value in ("inf", "-inf") else settings.number(name)
        method.set_params(**{name: read})
    return method


def described_labels(labels: NDArray[Any]) -> dict[str, Any]:
    """Return the classes of a classifier with their type."""
    values = labels.tolist()
    if labels.dtype.kind not in "biufUO" or not _one_type(values):
        raise ValueError(
            "y must hold numbers, strings or booleans for the model to be saved, got "
            f"labels of type {labels.dtype}. Use pickle or joblib, for yourself only."
        )
    dtype = {"U": "str", "O": "object"}.get(labels.dtype.kind, labels.dtype.name)
    return {"dtype": dtype, "values": values}


def labels_from(fields: Fields) -> NDArray[Any]:
    """Return the classes of a classifier."""
    numbers = [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
    kinds = {"bool": bool, "str": str, "object": str, "float32": float}
    kinds |= {"float16": float, "float64": float} | dict.fromkeys(numbers, int)
    dtype, values = fields.choice("dtype", kinds), fields.get("values")
    kind = kinds[dtype]
    if type(values) is not list or any(type(value) is not kind for value in values):
        raise fields.wrong("values", f"must be a list of {kind.__name__}")
    if len(values) < 2 or any(a >= b for a, b in pairwise(values)):
        raise fields.wrong("values", "must be two or more, ascending")
    if kind is str and 4 * len(values) * max(map(len, values)) > LARGEST_LABELS:
        raise fields.wrong("values", "must be shorter strings")
    if kind is int:  # NumPy 1 wraps around what does not fit
        holds = np.iinfo(dtype)
        if values[0] < holds.min or values[-1] > holds.max:
            raise fields.wrong("values", f"must be of type {dtype}")
    return np.array(values, dtype=dtype)


def _one_type(values: list[Any]) -> bool:
    return len({type(value) for value in values}) == 1 and isinstance(
        values[0], bool | int | float | str
    )


def _described(value: Any, default: Any) -> Any:
    """Return a setting as JSON can hold it, of the type of its default."""
    if value is None:
        return None
    if isinstance(default, bool):
        return bool(value)
    if isinstance(default, tuple):
        return list(map(int, value))
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return str(float(value)) if math.isinf(value) else float(value)
    return str(value) if isinstance(default, str) else value


def _like(fields: Fields, name: str, default: Any) -> Any:
    """Return a setting of the type of its default."""
    if default is None or name in MAY_BE_NONE:
        return None if fields.get(name) is None else _word_or_number(fields, name)
    if isinstance(default, tuple):
        return tuple(fields.counts(name))
    if isinstance(default, bool):
        return fields.flag(name)
    if isinstance(default, int):
        return fields.count(name)
    if isinstance(default, float):
        return fields.number(name)
    return _word_or_number(fields, name)


def _word_or_number(fields: Fields, name: str) -> Any:
    """Return a setting that may be a number or a word such as "auto"."""
    if isinstance(fields.get(name), str):
        return fields.text(name)
    number = fields.number(name)
    return int(number) if number.is_integer() else number
