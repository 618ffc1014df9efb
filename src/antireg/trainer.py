"""The training loop; there is one, and it knows no method by name."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from antireg.checkpoint import Checkpoint
from antireg.data.base import Batches, Data
from antireg.history import Epoch
from antireg.losses import Loss
from antireg.methods.base import DivergedError, Fit, Method, Step
from antireg.networks import Stack
from antireg.state import State

CHUNK_NUMBERS = 2**15
"""Numbers a member may hold per layer of a forward pass: few enough to stay in the
cache of a processor, which nearly halves the time. Another device gets 16 times as
many. The number of members does not count, so that it does not change the rounding."""

LANE = 64
"""Rows that products take at a time."""

MANY_INPUTS = 256
"""Inputs from which on their sums are rounded by how many rows there are."""

Callback = Callable[[Epoch], Any]


@dataclass(frozen=True)
class Settings:
    """How to train.

    Attributes:
        epochs: Passes over the rows.
        batch_size: Rows of a step, per member.
        lr: Step size of Adam.
        seeds: One per member: what is drawn for it alone, as the order of its rows.
        seed: Of what members share: drawn inputs, dropout.
        callbacks: Called with every `Epoch`; training stops when one returns True.
        first: Number of the first member, where others are trained elsewhere.
        kept: Epoch to keep each member after, of all members, those elsewhere too; the
            method says it if this is None.
    """

    epochs: int
    batch_size: int
    lr: float
    seeds: Sequence[int]
    seed: int = 0
    callbacks: Sequence[Callback] = ()
    first: int = 0
    kept: Sequence[int] | None = None


def train(
    network: Stack,
    data: Data,
    validation: Data,
    loss: Loss,
    method: Method,
    settings: Settings,
    checkpoint: Checkpoint | None = None,
    until: int | None = None,
) -> Fit:
    """Train a copy of every member and return it as it was after its kept epoch.

    Args:
        network: The members as they start.
        data: Rows to train on.
        validation: Rows that choose the epoch to keep.
        loss: What to fit.
        method: What to add to it.
        settings: How long and how fast.
        checkpoint: Where to write the training to as it goes, and to go on from.
        until: Epochs after which to stop and leave the rest to whoever goes on from
            the checkpoint; all of them by default.
    """
    with _flushed_denormals(), one_thread(), torch.random.fork_rng():
        torch.manual_seed(settings.seed)
        state = State.start(network, settings.lr, settings.seeds, settings.seed)
        memory = method.init(state.network, data, settings.seeds)
        if checkpoint is not None:
            checkpoint.resume(state, settings.epochs)
        until = settings.epochs if until is None else until
        batches = Batches(data)
        while not state.done and len(state.epochs) < until:
            started = time.perf_counter()
            _run_epoch(state, batches, validation, loss, method, memory, settings)
            state.seconds += time.perf_counter() - started
            if checkpoint is not None:
                checkpoint.write(state, now=len(state.epochs) == until)
    trained = network.with_weights(state.kept_weights)
    pooled = ensemble_loss(trained, validation, loss)
    return Fit(method, state.kept_weights, state.history(), pooled)


def _run_epoch(
    state: State,
    batches: Batches,
    validation: Data,
    loss: Loss,
    method: Method,
    memory: Any,
    settings: Settings,
) -> None:
    """Take every member once through the rows, and look at what became of it."""
    network = state.network
    order = state.order(len(batches.data), method.shared_batches)
    fits, controls = [], []
    for rows in order.to(network.flat.device).split(settings.batch_size, dim=-1):
        fit, control = _step(state, batches.take(rows), loss, method, memory)
        fits.append(fit)
        controls.append(control)
    validation_loss = evaluate(network, validation, loss)
    epoch = Epoch(
        len(state.epochs) + 1,
        settings.epochs,
        _numbers(torch.stack(fits, 1).mean(1)),
        _numbers(validation_loss),
        _numbers(torch.stack(controls, 1).mean(1)),
        _numbers(network.flat.detach().abs().mean(1)),
        type(method).__name__,
    )
    _check_finite(epoch, settings)
    state.epochs.append(epoch)
    if settings.kept is None:
        chosen = method.keep(validation_loss, state.kept_loss)
    else:
        numbers = settings.kept[settings.first :][: network.n_members]
        chosen = torch.tensor([number == epoch.number for number in numbers])
    state.keep(chosen.to(validation_loss.device), validation_loss)
    answers = [callback(epoch) for callback in settings.callbacks]
    stop = any(isinstance(said, bool | np.bool_) and said for said in answers)
    state.done = stop or epoch.number == settings.epochs


def ensemble_loss(network: Stack, data: Data, loss: Loss) -> float:
    """Return the loss of the members as one predictor."""
    with _flushed_denormals(), one_thread():
        pooled = loss.pool(forward(network, data.x))
        return loss(pooled, data.y, data.weight).item()


def evaluate(network: Stack, data: Data, loss: Loss) -> Tensor:
    """Return the mean loss of each member on all rows, (members,)."""
    outputs = forward(network, data.x)
    return loss(outputs, data.y, data.weight)


@torch.no_grad()
def forward(network: Stack, x: Tensor) -> Tensor:
    """Return all members' outputs, in chunks of bounded memory, without gradient.

    Args:
        network: The members.
        x: (rows, features).

    Returns:
        (members, rows, outputs).
    """
    outputs_of = network.predictor()
    chunks = x.split(rows_at_once(network, x.shape[1]))
    return torch.cat([outputs_of(rows) for rows in chunks], dim=1)


def rows_at_once(network: Stack, n_inputs: int) -> int:
    """Return how many rows a forward pass takes at a time."""
    widest = max(shape[-1] for shape in network.shapes.values() if shape)
    numbers = CHUNK_NUMBERS * (1 if network.flat.device.type == "cpu" else 16)
    # Inputs count less: all members share them, and the first layer is done with them.
    n_rows = numbers // max(widest, n_inputs // 8)
    # Many inputs keep the number of rows that the results on record were made with.
    if n_inputs < MANY_INPUTS and n_rows > LANE:
        n_rows -= n_rows % LANE
    return max(1, n_rows)


def _step(
    state: State, batch: Data, loss: Loss, method: Method, memory: Any
) -> tuple[Tensor, Tensor]:
    """Take one step of all members; return their fit and λ, (members,) each."""
    network, gradient = state.network, state.adam.gradient
    add_gradient = method.gradient(network, memory)
    if add_gradient is None:
        outputs = network(batch.x)
        fit = loss(outputs, batch.y, batch.weight)
        control = method.control(fit.detach())
        step = Step(network, batch, outputs, loss, state.rng)
        objective = fit + control * method.penalty(step, memory)
        gradient.copy_(torch.autograd.grad(objective.sum(), network.flat)[0])
        state.adam.step(control.tolist(), None)
        return fit.detach(), control
    # Nothing is recorded where nobody will ask: small operations take a tenth less.
    unrecorded = torch.no_grad if state.tape.uses_autograd else torch.inference_mode
    with unrecorded():
        outputs = state.tape.forward(batch.x)
        fit = loss(outputs, batch.y, batch.weight)
        control = method.control(fit)
        of_outputs = loss.gradient(outputs, batch.y, batch.weight)
        state.tape.backward(of_outputs, gradient)
        state.adam.step(control.tolist(), add_gradient)
    return fit, control


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread: more of them would round otherwise, and share small work badly.

    A second one saves a quarter of the time at best, and where another process holds
    its core the first waits for it: then small steps take up to thirty times as long.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _flushed_denormals() -> Iterator[None]:
    """Treat numbers below 1e-38 as zero: Adam's averages of unused weights get there.

    They are of no use, and arithmetic on them is several times slower.
    """
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


def _numbers(values: Tensor) -> Any:
    return values.double().cpu().numpy()


def _check_finite(epoch: Epoch, settings: Settings) -> None:
    """Stop training as soon as a member's loss or weights are not finite."""
    finite = np.isfinite(epoch.loss) & np.isfinite(epoch.weight)
    finite &= np.isfinite(epoch.validation_loss)
    if not finite.all():
        member = settings.first + int(np.argmin(finite))
        raise DivergedError(
            f"Training diverged: member {member} has a loss or weights that are not "
            f"finite at epoch {epoch.number}. Most likely the step is too large for "
            f"these data: lower lr (now {settings.lr:g}), scale inputs and targets, "
            "and look for extreme values or sample weights."
        )
