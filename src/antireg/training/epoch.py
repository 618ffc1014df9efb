"""One epoch of a group of members, step by step."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from antireg.history import Epoch
from antireg.methods.base import DivergedError, Method, Step
from antireg.methods.closed_form import HasGradient, closed_form
from antireg.networks.forward import evaluate
from antireg.rows.data import Batch, Batches
from antireg.training.groups import Group
from antireg.training.problem import Problem, Settings
from antireg.training.state import State


class Running:
    """A group in training.

    Args:
        group: Its members at the start; resumed if there is a checkpoint.
        problem: What they learn.
        method: What is added to their loss.
        settings: Of the training, for all members.
    """

    def __init__(
        self, group: Group, problem: Problem, method: Method, settings: Settings
    ) -> None:
        """Prepare the next epoch."""
        self.group, self.problem, self.method = group, problem, method
        self.settings = settings.of(group.members)
        self.state = State.start(group.network, self.settings)
        network, seeds = self.state.network, self.settings.seeds
        self.memory = method.init(network, problem.data, seeds)
        # Where classes are separable, a loss falls for ever, by ever less.
        patient = settings.patience is not None
        self.gain = patient * problem.loss.gain / len(problem.validation)
        self.unused = group.network.unused()
        if group.checkpoint is not None:
            group.checkpoint.resume(self.state, settings.epochs)
        known = closed_form(method)
        self.step: Callable[[Batch], tuple[Tensor, Tensor]] = self._step_by_autograd
        if known is not None:
            self.step = partial(self._step_by_closed_form, known)

    def run_epoch(self, batches: Batches) -> None:
        """Train the members on all rows once, and keep those at their best."""
        started = time.perf_counter()
        state, network = self.state, self.state.network
        network.begin_epoch(len(state.epochs))
        n_rows, shared = len(self.problem.data), self.method.shared_batches
        order = state.order(n_rows, shared, self.settings.rows)
        fits, controls = [], []
        some = 0 if self.unused is None else self.unused.shape[1]
        first = network.flat.detach()[:, :some]
        batch_size = self.settings.batch_size
        for rows in order.to(network.flat.device).split(batch_size, dim=-1):
            fit, control = self.step(batches.take(rows))
            if self.unused is not None:
                first.masked_fill_(self.unused, 0.0)
            fits.append(fit)
            controls.append(control)
        validation, loss = self.problem.validation, self.problem.loss
        validation_loss = evaluate(network, validation, loss, self.settings.row_limit)
        epoch = Epoch(
            len(state.epochs) + 1,
            self.settings.epochs,
            _numbers(torch.stack(fits, 1).mean(1)),
            _numbers(validation_loss),
            _numbers(torch.stack(controls, 1).mean(1)),
            _numbers(network.flat.detach().abs().mean(1)),
        )
        state.epochs.append(epoch)
        state.seconds += time.perf_counter() - started
        chosen = self.method.keep(validation_loss, state.kept_loss - self.gain)
        state.keep(chosen, validation_loss)
        self._check_finite(epoch)

    @property
    def has_learned(self) -> bool:
        """Whether no member was kept for so long that none will be.

        Members are kept at their best, or as their method says: DARE's whenever they
        are under τ. So plain training ends when no member gets better, and DARE when
        all have left τ. One member alone may pause for longer than all of them do.
        """
        patience, state = self.settings.patience, self.state
        if patience is None:
            return False
        pause = len(state.epochs) - int(state.kept.max())
        return pause >= self.method.pauses * patience

    def end_epoch(self, last: int) -> None:
        """Note whether this epoch was the last, and write what is to be written."""
        if self.state.done:
            return
        self.state.done = len(self.state.epochs) == last or self.has_learned
        if self.group.checkpoint is not None:
            self.group.checkpoint.write(self.state)

    def _step_by_autograd(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Take one step of all members; return their fit and λ, (members,) each."""
        network, adam, loss = self.state.network, self.state.adam, self.problem.loss
        outputs = network(batch.x)
        fit = loss(outputs, batch.y, batch.weight)
        control = self.method.control(fit.detach())
        step = Step(network, batch, outputs, loss, self.state.rng)
        objective = fit + control * self.method.penalty(step, self.memory)
        adam.gradient.copy_(torch.autograd.grad(objective.sum(), network.flat)[0])
        adam.step(control.tolist(), None)
        return fit.detach(), control

    def _step_by_closed_form(
        self, known: HasGradient, batch: Batch
    ) -> tuple[Tensor, Tensor]:
        """Take the same step with closed-form gradients."""
        tape, adam, loss = self.state.tape, self.state.adam, self.problem.loss
        add_gradient = known.gradient(self.state.network, self.memory)
        # Without autograd's records, small operations take a tenth less time.
        unrecorded = torch.no_grad if tape.uses_autograd else torch.inference_mode
        with unrecorded():
            outputs = tape.forward(batch.x)
            fit, of_outputs = loss.with_gradient(outputs, batch.y, batch.weight)
            control = self.method.control(fit)
            tape.backward(of_outputs, adam.gradient)
            adam.step(control.tolist(), add_gradient)
        return fit, control

    def _check_finite(self, epoch: Epoch) -> None:
        """Raise as soon as a member's loss or weights are not finite."""
        finite = np.isfinite(epoch.loss) & np.isfinite(epoch.weight)
        finite &= np.isfinite(epoch.validation_loss)
        if not finite.all():
            member = self.group.members[int(np.argmin(finite))]
            raise DivergedError(
                f"Training diverged: member {member} has a loss or weights that are "
                f"not finite at epoch {epoch.number}. Most likely the step is too "
                f"large for these data: lower lr (now {self.settings.lr:g}), scale "
                "inputs and targets, and look for extreme values or sample weights."
            )


def _numbers(values: Tensor) -> Any:
    return values.double().cpu().numpy()
