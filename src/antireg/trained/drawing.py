"""Networks around those that are trained already, for `from_networks` to take."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from antireg.history import History
from antireg.losses import CrossEntropy, GaussianNLL, Loss, SquaredError
from antireg.methods import DeepEnsemble, Fit, Method, as_method
from antireg.methods.base import Train
from antireg.networks.forward import ensemble_loss, evaluate
from antireg.networks.module_checks import BATCH_NORMS, trainable
from antireg.networks.modules import ModuleStack
from antireg.process import training
from antireg.rows.checks import shown
from antireg.rows.data import Data
from antireg.trained.meaning import says_probabilities
from antireg.trained.modules import as_members
from antireg.training.loop import Trainer
from antireg.training.plan import Plan
from antireg.training.problem import Problem, Settings

LOSSES: dict[str, type[Loss]] = {
    "cross_entropy": CrossEntropy,
    "gaussian_nll": GaussianNLL,
    "squared_error": SquaredError,
}
BATCH_SIZE = 128
N_TOLD = 100
"""Rows that tell what outputs are."""


def networks_around(
    networks: Any,
    X: Any,
    y: Any,
    validation: tuple[Any, Any],
    loss: str,
    *,
    method: Method | str = "water_filling",
    epochs: int = 20,
    lr: float = 1e-3,
    random_state: int = 0,
) -> list[nn.Module]:
    """Return networks that vary around trained ones, where that costs their loss least.

    Each network is varied on its own. Batch norm and frozen weights stay as they are.

    Args:
        networks: A trained `torch.nn.Module`, or several.
        X: Rows that they were trained on, (rows, ...).
        y: Their targets, (rows,) or (rows, targets); classes as the places of outputs.
        validation: (X, y) of rows that they were not trained on.
        loss: What the outputs are: "cross_entropy" for logits, "squared_error", or
            "gaussian_nll" for a mean and a log-variance of each target.
        method: One that starts from trained members: `WaterFilling`, `MaxWEnt` or
            `DARE(start="reference")`.
        epochs: How many a whole training has, of which some methods take a share.
        lr: Step size of these.
        random_state: Seed of what is drawn.

    Examples:
        >>> import torch
        >>> from antireg import WaterFilling, networks_around
        >>> x = torch.linspace(-1, 1, 100)[:, None]
        >>> net, rows = torch.nn.Linear(1, 1), (x.numpy(), x[:, 0].numpy())
        >>> _ = torch.nn.init.ones_(net.weight)  # or any training
        >>> drawn = networks_around(
        ...     net, *rows, rows, "squared_error", method=WaterFilling(draws=3)
        ... )
        >>> len(drawn)
        3
    """
    if not isinstance(loss, str) or loss not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {shown(loss)}.")
    chosen = as_method(method)
    found: list[nn.Module] = []
    for number, member in enumerate(as_members(networks)):
        seed = int(np.random.SeedSequence([random_state, number]).generate_state(1)[0])
        stack = _stacked(member, tuple(np.shape(X)[1:]))
        problem = _problem(stack, (X, y), validation, loss)
        batch_size = min(BATCH_SIZE, len(problem.data))
        plan = Plan(stack, problem, Settings(epochs, batch_size, lr, [seed], seed))
        with training():
            fit = plan.finished(chosen.run(_Given(plan)))
        found += [_with_weights(member, stack, flat) for flat in fit.weights]
    return found


@dataclass
class _Given:
    """Answers a method that asks for a deep ensemble with what is trained already."""

    plan: Plan

    def __call__(self, method: Method, ahead: Sequence[Method] = ()) -> Fit:
        if not isinstance(method, DeepEnsemble):
            raise ValueError(
                "method must start from trained members, got a "
                f"{type(method).__name__} that trains its own. Use WaterFilling, "
                'MaxWEnt or DARE(start="reference").'
            )
        problem, stack = self.plan.problem, self.plan.start
        losses = evaluate(stack, problem.validation, problem.loss).double().numpy()
        curve = losses[None]
        kept = np.ones(len(losses), dtype=np.int64)
        history = History(curve, curve, 0 * curve, 0 * curve, kept, 0.0)
        whole = ensemble_loss(stack, problem.validation, problem.loss)
        return Fit(method, stack.flat.detach(), history, whole)

    def continuing(self, fit: Fit, epochs: float, lr: float = 1.0) -> Train:
        return Trainer(self.plan).continuing(fit, epochs, lr)


def _stacked(member: nn.Module, shape: tuple[int, ...]) -> ModuleStack:
    """Return a copy of a module that takes flat rows, always in evaluation mode."""
    module = copy.deepcopy(member).float().cpu().eval()
    for layer in module.modules():
        if isinstance(layer, BATCH_NORMS):
            layer.requires_grad_(False)
    whole = nn.Sequential(nn.Unflatten(1, shape), module)
    weights = trainable(whole)
    if not weights:
        raise ValueError(
            "networks must have weights that are not frozen, got none. Unfreeze some "
            "with requires_grad_(True)."
        )
    flat = torch.cat([w.detach().flatten() for w in weights.values()])[None]
    shapes = {name: tuple(w.shape) for name, w in weights.items()}
    return ModuleStack(flat, shapes, whole, evaluating=True)


def _problem(
    stack: ModuleStack, given: tuple[Any, Any], validation: tuple[Any, Any], loss: str
) -> Problem:
    """Return rows for a stack, after checking that its outputs are of the loss.

    Args:
        stack: Tells how many outputs there are.
        given: Rows and targets to train on.
        validation: Others.
        loss: One of `LOSSES`.
    """
    inputs = _inputs(given[0])
    outputs = stack(inputs[:: -(-len(inputs) // N_TOLD)]).detach()
    n_outputs = outputs.shape[2]
    if loss == "cross_entropy" and n_outputs > 1 and says_probabilities(outputs):
        raise ValueError(
            'loss="cross_entropy" is of logits, got networks that say probabilities. '
            "Leave out their last softmax: the loss has its own, and from_networks "
            "takes logits too."
        )
    data = Data(inputs, _targets(given[1], loss, n_outputs))
    held_out = Data(_inputs(validation[0]), _targets(validation[1], loss, n_outputs))
    return Problem(data, held_out, LOSSES[loss]())


def _inputs(X: Any) -> Tensor:
    """Return rows as a stack takes them, (rows, columns)."""
    return torch.from_numpy(np.array(X)).float().flatten(1)  # X may be read-only


def _targets(y: Any, loss: str, n_outputs: int) -> Tensor:
    """Return targets as the loss takes them, (rows, targets)."""
    values = torch.from_numpy(np.array(y))  # a copy, as y may be read-only
    if loss == "cross_entropy" and n_outputs > 1:
        return nn.functional.one_hot(values.long(), n_outputs).float()
    return values.float().reshape(len(values), -1)


def _with_weights(member: nn.Module, stack: ModuleStack, flat: Tensor) -> nn.Module:
    """Return a copy of a module with other weights."""
    made = copy.deepcopy(member)
    weights = dict(made.named_parameters())
    with torch.no_grad():
        for name, values in stack.weights(flat[None]).items():
            weights[name.removeprefix("1.")].copy_(values[0])
    return made
