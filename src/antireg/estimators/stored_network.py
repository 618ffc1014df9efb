"""The network of a stored model: its architecture, weights and bins, checked."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from antireg.estimators.base import Ensemble
from antireg.estimators.settings import MOST
from antireg.networks import ACTIVATIONS, Factory, MLPStack, Stack, mlp, modules
from antireg.networks.bins import Bins
from antireg.storage.array_file import Arrays
from antireg.storage.fields import Fields

Architecture = nn.Module | Factory

MOST_LAYERS = 1000
MEMBERS = range(1, MOST["n_members"] + 1)
MOST_BINS = MOST["bins"] + 1
"""Most inputs that a column may become."""


def described_network(model: Ensemble) -> dict[str, Any]:
    """Return the architecture that the weights belong to."""
    stack = model.network_
    if isinstance(stack, MLPStack):
        sizes = [model.n_inputs_, *(shape[1] for shape in stack.layers)]
        return {"kind": "mlp", "sizes": sizes, "activation": stack.activation}
    shapes = {name: list(shape) for name, shape in stack.shapes.items()}
    axes = getattr(model, "input_shape_", None)
    described = {"kind": "own", "inputs": model.n_inputs_, "shapes": shapes}
    return described | ({} if axes is None else {"axes": list(axes)})


def bin_arrays(network: Stack) -> dict[str, NDArray[Any]]:
    """Return what columns become, by name; nothing if they stay as they are."""
    if not isinstance(network, MLPStack) or network.bins is None:
        return {}
    column, *rest = (values.cpu().numpy() for values in network.bins.tensors)
    return {"bin_columns": column, "bin_numbers": np.stack(rest)}


def bins_from(fields: Fields, arrays: Arrays, n_columns: int) -> Bins | None:
    """Return what columns become, None if they stay as they are.

    Args:
        fields: The description.
        arrays: Those of bins are taken.
        n_columns: How many there are.
    """
    if not arrays.has("bin_columns"):
        return None
    lengths = range(n_columns, MOST_BINS * n_columns + 1)
    column = arrays.take("bin_columns", np.int64, (lengths,))
    if not np.array_equal(np.unique(column), np.arange(n_columns)):
        raise fields.wrong("bin_columns", f"must name all of {n_columns} columns")
    numbers = arrays.take("bin_numbers", np.float32, (4, len(column)))
    if np.any(numbers[2] > numbers[3]) or not numbers[1].all():
        rule = "must hold the lower limits first, and slopes other than 0"
        raise fields.wrong("bin_numbers", rule)
    return Bins(torch.from_numpy(column), *map(torch.from_numpy, numbers.copy()))


def n_inputs_of(fields: Fields) -> int:
    """Return the inputs of the network."""
    network = fields.inner("network")
    if network.choice("kind", ("mlp", "own")) == "own":
        return network.count("inputs")
    sizes = network.counts("sizes")
    if not 2 <= len(sizes) <= MOST_LAYERS:
        raise network.wrong("sizes", f"must be inputs to outputs, up to {MOST_LAYERS}")
    return sizes[0]


def axes_of(fields: Fields) -> tuple[int, ...] | None:
    """Return the shape of a row, if it has several axes."""
    network = fields.inner("network")
    if "axes" not in network.values:
        return None
    axes = network.axes("axes")
    if len(axes) < 2 or math.prod(axes) != n_inputs_of(fields):
        raise network.wrong("axes", "must be several, of as many numbers as inputs")
    return axes


def stack_from(
    fields: Fields, arrays: Arrays, n_outputs: int, own: Architecture | None
) -> Stack:
    """Return the members, after checking that all weights are there."""
    described, n_inputs = fields.inner("network"), n_inputs_of(fields)
    if described.text("kind") == "own":
        if own is None:
            raise ValueError(
                "network must be given to load a model with an architecture of your "
                f"own, got None for {str(fields.path)!r}. Use "
                "antireg.load(path, network=...) with what the estimator was given."
            )
        axes = axes_of(fields)
        start: Stack = modules(own, n_inputs, n_outputs, seeds=[0], shape=axes)
        shapes = {name: list(shape) for name, shape in start.shapes.items()}
        if shapes != described.inner("shapes").values:
            raise ValueError(
                "network must have the tensors of the stored model, got "
                f"{str(shapes)[:200]}. Pass what the estimator was given."
            )
        n_weights = start.flat.shape[1]
        weights = arrays.take("weights", np.float32, (MEMBERS, n_weights))
    else:
        if own is not None:
            raise ValueError(
                f"network must be None for {str(fields.path)!r}, which needs none, "
                f"got {type(own).__name__}. Leave it out."
            )
        sizes = described.counts("sizes")
        if sizes[-1] != n_outputs:
            raise described.wrong("sizes", f"must end with {n_outputs} outputs")
        activation = described.choice("activation", ACTIVATIONS)
        bins = bins_from(fields, arrays, n_inputs)
        entering = [n_inputs if bins is None else len(bins), *sizes[1:]]
        n_weights = sum((n_in + 1) * n_out for n_in, n_out in pairwise(entering))
        weights = arrays.take("weights", np.float32, (MEMBERS, n_weights))
        start = mlp(sizes, activation, seeds=[0], bins=bins)
    return start.with_weights(torch.from_numpy(weights))
