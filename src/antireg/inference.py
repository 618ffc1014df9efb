"""From rows in the user's units to what the members say, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from antireg.data.stored import Stored
from antireg.networks import Stack
from antireg.scaling import Scaling
from antireg.trainer import forward

Array = NDArray[np.float64]
T = TypeVar("T", bound=np.generic)

CHUNK_NUMBERS = 2**24
"""Numbers of the inputs that are predicted at a time."""

SCALED_NUMBERS = 2**16
"""Numbers that are scaled at a time: they stay in the processor's cache."""


def scaled_inputs(X: Array | Stored, scaling: Scaling) -> Tensor:
    """Return rows as the network sees them, without a second copy in float64.

    Rows on disk stay there, and are scaled when they are read.

    Args:
        X: In the user's units, (rows, features).
        scaling: Of its columns.
    """
    if isinstance(X, Stored):
        return cast(Tensor, replace(X, seen=scaling.scaled))
    inputs = torch.empty(X.shape, dtype=torch.float32)
    n_rows = max(1, SCALED_NUMBERS // X.shape[1])
    for first in range(0, len(X), n_rows):
        rows = slice(first, first + n_rows)
        inputs[rows] = torch.from_numpy(scaling.scaled(X[rows]))
    return inputs


def member_outputs(network: Stack, scaling: Scaling, X: Array | Stored) -> Array:
    """Return the raw outputs of all members, (members, rows, outputs)."""
    n_rows = max(1, CHUNK_NUMBERS // X.shape[1])
    outputs = []
    for first in range(0, len(X), n_rows):
        inputs = scaled_inputs(X[first : first + n_rows], scaling)
        said = forward(network, inputs.to(network.flat.device))
        outputs.append(said.double().cpu().numpy())
    return outputs[0] if len(outputs) == 1 else np.concatenate(outputs, axis=1)


def by_rows(work: Callable[[Array], NDArray[T]], outputs: Array) -> NDArray[T]:
    """Return `work(outputs)`, done for so few rows at a time that they stay in cache.

    Args:
        work: From outputs, (members, rows, outputs), to (rows, ...), row by row.
        outputs: Of all rows.
    """
    members, n_rows, width = outputs.shape
    step = max(1, SCALED_NUMBERS // (members * width))
    if step >= n_rows:
        return work(outputs)
    parts = (outputs[:, first : first + step] for first in range(0, n_rows, step))
    return np.concatenate([work(part) for part in parts])
