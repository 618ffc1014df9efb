"""Restores trained networks from a description and arrays, and checks both."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from antireg.estimators.stored_doubt import doubting_from
from antireg.estimators.stored_parts import (
    compared_from,
    held_out_scores_from,
    interval_factors_from,
    names_from,
    noise_from,
    probability_map_from,
    rate_from,
    scaling_from,
    target_range_from,
    targets_from,
)
from antireg.storage.array_file import Arrays
from antireg.storage.descriptions import labels_from
from antireg.storage.fields import Fields
from antireg.trained.classifier import NetworksClassifier, classification_reader
from antireg.trained.comparing import Comparing
from antireg.trained.meaning import AMOUNTS, CLASSES
from antireg.trained.modules import Modules, as_members
from antireg.trained.regressor import NetworksRegressor, regression_reader

FORMAT = 1
MOST_NUMBERS = 2**26
"""Of a row, and of members."""


def restored_networks(described: Fields, arrays: Arrays, network: Any) -> Any:
    """Return the estimator, after a check of all that it will compute with.

    Args:
        described: The description.
        arrays: Each is taken; one too many is an error.
        network: A module of the same class as the stored ones, or one for each.
    """
    words = described.inner("networks")
    words.version("networks", FORMAT)
    kind, shape = words.choice("kind", KINDS), words.axes("shape")
    if not shape or math.prod(shape) > MOST_NUMBERS:
        raise words.wrong("shape", f"must have 1 to {MOST_NUMBERS} numbers")
    make, restore = KINDS[kind]
    members = _members(words, arrays, network)
    model = make(list(members))
    model.false_alarm_rate = rate_from(words)
    model.modules_ = Modules(members, words.flag("hidden"))
    model.input_shape_, model.n_features_in_ = shape, shape[0]
    if (names := names_from(words, shape[0])) is not None:
        if len(shape) > 1:
            raise words.wrong("features", f"must name {shape[0]} columns")
        model.feature_names_in_ = names
    n_outputs = restore(model, words, arrays)
    n_columns = math.prod(shape)
    scaling = compared_from(words, arrays, n_columns)

    def hidden_of(inputs: Any) -> Any:
        if not model.modules_.has_hidden:
            return None
        return arrays.take("reference_hidden", np.float32, (len(inputs), None))

    doubting = doubting_from(words, arrays, kind, (n_columns, n_outputs), hidden_of)
    model.comparing_ = Comparing(scaling, doubting.signalling)
    model.reader_.doubt_ = doubting
    model.reader_.held_out_scores_ = held_out_scores_from(words, arrays)
    arrays.finish()
    return model


def _amounts(model: NetworksRegressor, words: Fields, arrays: Arrays) -> int:
    """Restore what reads amounts; return how many targets there are."""
    model.meaning_ = model.outputs = words.choice("meaning", AMOUNTS)
    model.n_targets_, model.flat_targets_ = targets_from(words)
    n_targets = model.n_targets_
    reader = regression_reader(model.meaning_, n_targets, model.flat_targets_)
    reader.target_scaling_ = scaling_from(words, arrays, "target", n_targets)
    reader.target_range_ = target_range_from(words, arrays, n_targets)
    reader.interval_factors_ = interval_factors_from(words, arrays, n_targets)
    reader.noise_ = None
    if model.meaning_ == "mean":
        shape = (len(model.modules_.members), 1, n_targets)
        reader.noise_ = noise_from(words, arrays, shape)
    model.reader_ = reader
    return n_targets


def _classes(model: NetworksClassifier, words: Fields, arrays: Arrays) -> int:
    """Restore what reads classes; return how many there are."""
    model.meaning_ = model.outputs = words.choice("meaning", CLASSES)
    model.classes_ = labels_from(words.inner("classes"))
    n_classes = len(model.classes_)
    model.places_ = arrays.take("places", np.int64, (n_classes,)).astype(np.intp)
    if sorted(model.places_.tolist()) != list(range(n_classes)):
        raise words.wrong("places", "must hold the place of every class")
    model.classes = model.classes_[np.argsort(model.places_)]
    model.reader_ = classification_reader(model.classes_)
    model.reader_.probability_map_ = probability_map_from(words)
    return n_classes


KINDS: dict[str, tuple[Any, Callable[..., int]]] = {
    "regressor": (NetworksRegressor, _amounts),
    "classifier": (NetworksClassifier, _classes),
}


def _members(words: Fields, arrays: Arrays, network: Any) -> tuple[nn.Module, ...]:
    """Return copies of the user's modules with the stored weights."""
    states = words.get("states")
    if type(states) is not list or not states:
        raise words.wrong("states", "must be a list of one or more")
    if network is None:
        raise ValueError(
            "network must be given to load trained networks, whose code no file of "
            f"data can hold, got None for {os.fspath(words.path)!r}. Use "
            "antireg.load(path, network=...) with a module of the same class, or one "
            f"for each of {len(states)}."
        )
    given = as_members(network)
    given = given * len(states) if len(given) == 1 else given
    if len(given) != len(states):
        raise ValueError(
            f"network must be one module or {len(states)}, as were saved, got "
            f"{len(given)}."
        )
    return tuple(
        _filled(module, shapes, number, arrays)
        for number, (module, shapes) in enumerate(zip(given, states, strict=True))
    )


def _filled(module: nn.Module, shapes: Any, number: int, arrays: Arrays) -> nn.Module:
    """Return a copy of a module with the weights and statistics of a stored one."""
    module = copy.deepcopy(module)
    if shapes_of(module) != shapes:
        raise ValueError(
            "network must have the tensors of the stored networks, got "
            f"{str(shapes_of(module))[:200]}. Pass modules of the same classes and "
            "sizes."
        )
    for place, (_, values) in enumerate(sorted(module.state_dict().items())):
        kind: type[np.generic] = np.int64
        if values.is_floating_point():
            kind = np.float64 if values.dtype.itemsize == 8 else np.float32
        stored = arrays.take(f"network_{number}_{place}", kind, (values.numel(),))
        with torch.no_grad():
            values.copy_(torch.from_numpy(stored).view(values.shape))
    return module


def shapes_of(module: nn.Module) -> dict[str, list[int]]:
    """Return the shape of every tensor that a module's state has, by name."""
    return {
        name: list(values.shape)
        for name, values in module.state_dict().items()
        if isinstance(values, Tensor)
    }
