"""From rows in the user's units to what the members say, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple, overload

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from antireg.networks.centred import Speaking
from antireg.networks.forward import rows_at_once
from antireg.networks.stack import Viewer
from antireg.networks.threads import one_thread_each
from antireg.process import own_modes
from antireg.rows.data import Inputs
from antireg.rows.scaling import Scaling
from antireg.rows.stored import Stored

Array = NDArray[np.float64]
Work = Callable[[Array], NDArray[Any]]

FEWEST_CHUNKS = 8
"""Chunks of rows that make it worth starting a thread."""

CHUNKS_AT_ONCE = 16
"""Chunks of rows that are processed together. What follows the members makes hundreds
of small calls, whose cost is spread over these rows; twice as many are no faster."""

SCALED_NUMBERS = 2**16
"""Numbers to scale at a time."""


class Pass(NamedTuple):
    """Rows as they went through the members.

    Attributes:
        outputs: (members, rows, outputs).
        inputs: As the network sees them, (rows, features).
        hidden: What entered the last layer, all members side by side, (rows, units);
            None if the network does not say, or was not asked.
    """

    outputs: Array
    inputs: NDArray[np.float32]
    hidden: NDArray[np.float32] | None


@overload
def scaled_inputs(X: Array, scaling: Scaling) -> Tensor: ...
@overload
def scaled_inputs(X: Array | Stored, scaling: Scaling) -> Inputs: ...
def scaled_inputs(X: Array | Stored, scaling: Scaling) -> Inputs:
    """Return rows as the network sees them, without a second copy in float64.

    Rows on disk stay there, and are scaled when they are read.

    Args:
        X: In the user's units, (rows, features).
        scaling: Of its columns.
    """
    if isinstance(X, Stored):
        return replace(X, seen=scaling.scaled)
    inputs = torch.empty(X.shape, dtype=torch.float32)
    values = inputs.numpy()  # assigning to NumPy does not start a second thread
    n_rows = max(1, SCALED_NUMBERS // X.shape[1])
    for first in range(0, len(X), n_rows):
        rows = slice(first, first + n_rows)
        values[rows] = scaling.scaled(X[rows])
    return inputs


def by_rows(
    network: Speaking,
    scaling: Scaling,
    X: Array | Stored,
    work: Work,
    axis: int = 0,
) -> NDArray[Any]:
    """Apply `work` to the members' outputs, a few rows at a time.

    Rows are scaled, predicted and processed while they are in the cache. Many rows are
    spread over as many threads as PyTorch may use.

    Args:
        network: The members, perhaps with a centre.
        scaling: Of the inputs.
        X: In the user's units, (rows, features).
        work: From outputs, (members, rows, outputs), to an array of as many rows.
        axis: Which axis of that array the rows are.
    """

    def of_outputs(part: Pass) -> NDArray[Any]:
        return work(part.outputs)

    return by_passes(network, scaling, X, of_outputs, axis, hidden=False)


def by_passes(
    network: Speaking,
    scaling: Scaling,
    X: Array | Stored,
    work: Callable[[Pass], NDArray[Any]],
    axis: int = 0,
    hidden: bool = True,
) -> NDArray[Any]:
    """Return what is made of inputs and hidden units too; otherwise as `by_rows`.

    Args:
        network: The members, perhaps with a centre.
        scaling: Of the inputs.
        X: In the user's units, (rows, features).
        work: From a pass to an array of as many rows.
        axis: Where the rows are in that.
        hidden: Whether to take the time to look inside.
    """
    step = rows_at_once(network, X.shape[1])
    starts = range(0, len(X), step)

    def done(share: range) -> list[NDArray[Any]]:
        return [work(part) for part in _passes(network, scaling, X, share, hidden)]

    n_threads = min(torch.get_num_threads(), len(starts) // FEWEST_CHUNKS)
    if n_threads < 2 or network.flat.device.type != "cpu":
        with own_modes():
            return np.concatenate(done(starts), axis)
    ends = [len(starts) * number // n_threads for number in range(n_threads + 1)]
    with one_thread_each(n_threads) as pool:
        parts = pool.map(done, [starts[first:last] for first, last in pairwise(ends)])
        return np.concatenate([part for share in parts for part in share], axis)


@torch.no_grad()
def seen_by(network: Speaking, inputs: Inputs) -> Pass:
    """Return a pass of rows as the network sees them, (rows, features)."""
    step = rows_at_once(network, inputs.shape[1])
    return _pass(network.viewer(), inputs, step, hidden=True)


@torch.no_grad()
def _passes(
    network: Speaking,
    scaling: Scaling,
    X: Array | Stored,
    starts: range,
    hidden: bool,
) -> Iterator[Pass]:
    """Yield passes of rows, some chunks at a time."""
    view = network.viewer()
    for first in range(starts.start, starts.stop, CHUNKS_AT_ONCE * starts.step):
        last = min(first + CHUNKS_AT_ONCE * starts.step, starts.stop)
        inputs = scaled_inputs(X[first:last], scaling).to(network.flat.device)
        yield _pass(view, inputs, starts.step, hidden)


def _pass(view: Viewer, inputs: Inputs, step: int, hidden: bool) -> Pass:
    """Return what is seen of rows, so many at a time."""
    seen, outputs = [], []
    units: Tensor | None = None
    for number, rows in enumerate(inputs.split(step)):
        said, entered = view(rows)
        seen.append(rows)
        outputs.append(said)
        if hidden and entered is not None:
            if units is None:
                units = entered.new_empty(len(inputs), entered.shape[1])
            units[number * step : number * step + len(rows)] = entered
    whole = inputs if isinstance(inputs, Tensor) else torch.cat(seen)
    return Pass(
        torch.cat(outputs, 1).double().cpu().numpy(),
        whole.cpu().numpy(),
        None if units is None else units.cpu().numpy(),
    )
