"""The training loop; there is one, and it knows no method by name."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from antireg.history import Callback, Epoch, History, joined_epoch
from antireg.losses import Loss
from antireg.methods.base import DivergedError, Method, Step
from antireg.networks.forward import evaluate
from antireg.process import training
from antireg.rows.data import Batch, Batches, Data
from antireg.training.groups import Group
from antireg.training.state import State


@dataclass(frozen=True)
class Settings:
    """How to train.

    Attributes:
        epochs: Passes over the rows.
        batch_size: Rows of a step, per member.
        lr: Step size of Adam.
        seeds: One per member of all groups: what is drawn for it alone, as the order of
            its rows.
        seed: Of what members share: drawn inputs, dropout.
        callbacks: Called with every `Epoch`; training stops when one returns True.
        row_limit: The most that a held-out row may cost.
    """

    epochs: int
    batch_size: int
    lr: float
    seeds: Sequence[int]
    seed: int = 0
    callbacks: Sequence[Callback] = ()
    row_limit: float = torch.inf


class Trained(NamedTuple):
    """What became of a group.

    Attributes:
        weights: Those of the kept epochs, (members, weights).
        history: How the training went.
    """

    weights: Tensor
    history: History


def train(
    groups: Sequence[Group],
    data: Data,
    validation: Data,
    loss: Loss,
    method: Method,
    settings: Settings,
) -> list[Trained]:
    """Train a copy of every member and return it as it was after its kept epoch.

    Groups take turns, epoch by epoch, so that callbacks are told of all members.

    Args:
        groups: The members to train here, as they start.
        data: Rows to train on.
        validation: Rows that choose the epoch to keep.
        loss: What to fit.
        method: What to add to it.
        settings: How long and how fast.
    """
    validation, batches = validation.aligned(), Batches(data)
    with training():
        torch.manual_seed(settings.seed)
        started = [_started(group, data, method, settings) for group in groups]
        states = [state for state, _ in started]
        last = max([len(s.epochs) for s in states if s.done], default=settings.epochs)
        while (number := min(len(state.epochs) for state in states)) < last:
            for group, (state, memory) in zip(groups, started, strict=True):
                # One that was resumed may be ahead of the others.
                if len(state.epochs) == number:
                    validation_loss = _run_epoch(
                        state, batches, validation, loss, method, memory, settings
                    )
                    chosen = method.keep(validation_loss, state.kept_loss)
                    state.keep(chosen, validation_loss)
                    _check_finite(state.epochs[-1], group.members, settings.lr)
            epochs = [state.epochs[number] for state in states]
            if _asked_to_stop(joined_epoch(epochs, type(method).__name__), settings):
                last = max(len(state.epochs) for state in states)
            for group, state in zip(groups, states, strict=True):
                state.done = len(state.epochs) == last
                if group.checkpoint is not None:
                    group.checkpoint.write(state)
    return [Trained(state.kept_weights, state.history()) for state in states]


def _started(
    group: Group, data: Data, method: Method, settings: Settings
) -> tuple[State, Any]:
    """Return a group before its next epoch, and what the method remembers of it."""
    seeds = settings.seeds[group.members.start : group.members.stop]
    state = State.start(group.network, settings.lr, seeds, settings.seed)
    memory = method.init(state.network, data, seeds)
    if group.checkpoint is not None:
        group.checkpoint.resume(state, settings.epochs)
    return state, memory


def _run_epoch(
    state: State,
    batches: Batches,
    validation: Data,
    loss: Loss,
    method: Method,
    memory: Any,
    settings: Settings,
) -> Tensor:
    """Take members once through the rows; return their validation loss, (members,)."""
    started = time.perf_counter()
    network = state.network
    order = state.order(len(batches.data), method.shared_batches)
    fits, controls = [], []
    for rows in order.to(network.flat.device).split(settings.batch_size, dim=-1):
        fit, control = _step(state, batches.take(rows), loss, method, memory)
        fits.append(fit)
        controls.append(control)
    validation_loss = evaluate(network, validation, loss, settings.row_limit)
    epoch = Epoch(
        len(state.epochs) + 1,
        settings.epochs,
        _numbers(torch.stack(fits, 1).mean(1)),
        _numbers(validation_loss),
        _numbers(torch.stack(controls, 1).mean(1)),
        _numbers(network.flat.detach().abs().mean(1)),
    )
    state.epochs.append(epoch)
    state.seconds += time.perf_counter() - started
    return validation_loss


def _asked_to_stop(epoch: Epoch, settings: Settings) -> bool:
    """Tell the callbacks of an epoch; return whether one wants to stop."""
    answers = [callback(epoch) for callback in settings.callbacks]
    return any(isinstance(said, bool | np.bool_) and said for said in answers)


def _step(
    state: State, batch: Batch, loss: Loss, method: Method, memory: Any
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


def _numbers(values: Tensor) -> Any:
    return values.double().cpu().numpy()


def _check_finite(epoch: Epoch, members: range, lr: float) -> None:
    """Stop training as soon as a member's loss or weights are not finite."""
    finite = np.isfinite(epoch.loss) & np.isfinite(epoch.weight)
    finite &= np.isfinite(epoch.validation_loss)
    if not finite.all():
        member = members[int(np.argmin(finite))]
        raise DivergedError(
            f"Training diverged: member {member} has a loss or weights that are not "
            f"finite at epoch {epoch.number}. Most likely the step is too large for "
            f"these data: lower lr (now {lr:g}), scale inputs and targets, "
            "and look for extreme values or sample weights."
        )
