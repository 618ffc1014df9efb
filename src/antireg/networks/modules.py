"""Members of any architecture, vectorised by `torch.func`."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Sequence
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.func import functional_call, vmap

from antireg.networks import identity
from antireg.networks.layers import Layer, entered_by, layer_named, layers_of
from antireg.networks.module_checks import (
    PROBES,
    check_members,
    check_module,
    trainable,
)
from antireg.networks.stack import Stack, Tape
from antireg.networks.turns import Turns
from antireg.process import drawing, single_precision

Factory = Callable[[int, int], nn.Module]

_alone = Turns()
"""Each pass temporarily puts other weights into the module, so threads take turns."""


class ModuleStack(Stack):
    """Members of any architecture, vectorised by `torch.func` where it can.

    Attributes:
        module: Gives the weights their meaning.
        told: What it holds beside them, as text.
        one_by_one: Whether the members run in turn because `torch.func` could not run
            them together.
        evaluating: Whether layers such as dropout and batch norm are never in training
            mode.
    """

    def __init__(
        self,
        flat: Tensor,
        shapes: dict[str, tuple[int, ...]],
        module: nn.Module,
        evaluating: bool = False,
    ) -> None:
        """Keep the weights and one module that gives them their meaning."""
        super().__init__(flat, shapes)
        self.module = module
        self.told = identity.told(module)  # now, before a pass leaves something in it
        self.one_by_one, self.evaluating = False, evaluating

    def architecture(self) -> str:
        """Return the classes of all layers, and the values they hold."""
        return f"{self.shapes} {self.told}"

    def frozen(self) -> list[Tensor]:
        """Return frozen weights and buffers."""
        frozen = [w for w in self.module.parameters() if not w.requires_grad]
        return [*frozen, *self.module.buffers()]

    def apply(self, flat: Tensor, x: Tensor) -> Tensor:
        """Return outputs of these weights, (members, rows, outputs)."""
        self.module.to(x.device)
        # Layers such as dropout are in training mode whenever gradients are enabled.
        self.module.train(torch.is_grad_enabled() and not self.evaluating)
        weights = self.weights(flat)
        return self._each(weights, x) if self.one_by_one else self._together(weights, x)

    def try_together(self, rows: Tensor) -> None:
        """Decide whether the members run together, by passes as there will be."""
        for gradients in (True, False):
            for x in (rows, rows.expand(self.n_members, *rows.shape)):
                try:
                    with torch.set_grad_enabled(gradients):
                        self(x)
                except RuntimeError:  # as for LSTMs, or an `if` on values
                    self.one_by_one = True
                    return

    def _together(self, weights: dict[str, Tensor], x: Tensor) -> Tensor:
        """Return the outputs by one call of the module for all members."""

        def one(weights: dict[str, Tensor], rows: Tensor) -> Tensor:
            return functional_call(self.module, weights, (rows,))  # type: ignore[no-any-return]

        rows_axis = 0 if x.dim() == 3 else None
        run = vmap(one, in_dims=(0, rows_axis), randomness="different")
        return run(weights, x)

    def _each(self, weights: dict[str, Tensor], x: Tensor) -> Tensor:
        """Return the outputs by a call of the module for each member."""
        n_members = len(next(iter(weights.values())))
        outputs = [
            functional_call(
                self.module,
                {name: tensor[member] for name, tensor in weights.items()},
                (x[member] if x.dim() == 3 else x,),
            )
            for member in range(n_members)
        ]
        return torch.stack(outputs)

    def predictor(self) -> Callable[[Tensor], Tensor]:
        """Return the forward pass, for one thread at a time."""

        def outputs_of(x: Tensor) -> Tensor:
            with _alone, single_precision():
                return self(x)

        return outputs_of

    @torch.no_grad()
    def layers_entered(self, x: Tensor) -> list[tuple[Layer, Tensor]]:
        """Return linear layers and convolutions that are run, and what enters them."""
        names = {
            name: layer_named(name, self.shapes) for name in layers_of(self.module)
        }
        with _alone, single_precision():
            self.module.to(x.device).eval()
            weights = self.weights()
            of_members = [
                entered_by(self.module, {k: w[m] for k, w in weights.items()}, x)
                for m in range(self.n_members)
            ]
        found = []
        for name, layer in names.items():
            vectors = [entered[name] for entered in of_members if name in entered]
            if layer is not None and vectors:
                shared = all(torch.equal(vectors[0], other) for other in vectors[1:])
                found.append((layer, torch.stack(vectors[:1] if shared else vectors)))
        return found

    def tape(self) -> ModuleTape:
        """Return passes by autograd."""
        return ModuleTape(self)


class ModuleTape(Tape):
    """Forward and backward of any architecture, by autograd."""

    uses_autograd: ClassVar[bool] = True

    def __init__(self, stack: Stack) -> None:
        """Keep the members."""
        self.stack = stack

    @torch.enable_grad()
    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs of every member, (members, rows, outputs)."""
        self.outputs = self.stack(x)
        return self.outputs.detach()

    def backward(self, gradient: Tensor, out: Tensor) -> None:
        """Propagate the gradient of the last pass's outputs back to the weights."""
        (into,) = torch.autograd.grad(self.outputs, self.stack.flat, gradient)
        out.copy_(into)


def modules(
    network: nn.Module | Factory,
    n_inputs: int,
    n_outputs: int,
    *,
    seeds: Sequence[int],
    shape: tuple[int, ...] | None = None,
) -> ModuleStack:
    """Return members of the user's own architecture, one per seed.

    Args:
        network: A module, whose layers get new random weights for every member by
            their `reset_parameters`, or a function that returns a new module, given
            the numbers of inputs and outputs.
        n_inputs: Columns of the inputs.
        n_outputs: Columns the loss needs.
        seeds: One seed per member.
        shape: Of a row as the module takes it; None for (inputs,).
    """
    members = []
    for seed in seeds:
        with drawing(seed):
            member = _drawn(network, n_inputs, n_outputs)
        if shape is not None:
            member = nn.Sequential(nn.Unflatten(1, shape), member)
        members.append(member.float().cpu())
    module = members[0]
    with drawing(seeds[0]):
        check_module(module, n_inputs, n_outputs)
        check_members(members)
    shapes = {name: tuple(w.shape) for name, w in trainable(module).items()}
    flat = [
        torch.cat([w.detach().flatten() for w in trainable(member).values()])
        for member in members
    ]
    stack = ModuleStack(torch.stack(flat), shapes, module)
    with drawing(seeds[0]), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of speed, which the passes that count repeat
        stack.try_together(torch.rand(PROBES, n_inputs))
    return stack


def _made(network: Factory, n_inputs: int, n_outputs: int) -> nn.Module:
    """Return the module that a user's function builds, or say what is wrong with it."""
    name = getattr(network, "__name__", type(network).__name__)
    rule = (
        "network must be a module, or a function (n_inputs, n_outputs) -> module, got "
        f"{'the class ' if isinstance(network, type) else ''}{name}"
    )
    way_out = f"Pass network={name}(...)" if isinstance(network, type) else "Pass one"
    way_out += ", or network=lambda n_inputs, n_outputs: ... that returns a new one."
    try:
        made = network(n_inputs, n_outputs)
    except Exception as error:  # of code that is not ours
        raise ValueError(
            f"{rule}, which cannot be called with ({n_inputs}, {n_outputs}): {error}. "
            f"{way_out}"
        ) from error
    if not isinstance(made, nn.Module):
        raise ValueError(f"{rule}, which returns a {type(made).__name__}. {way_out}")
    return made


def _drawn(network: nn.Module | Factory, n_inputs: int, n_outputs: int) -> nn.Module:
    """Return a member before training."""
    if isinstance(network, nn.Module):
        return _reset(copy.deepcopy(network))
    return _made(network, n_inputs, n_outputs)


def _reset(module: nn.Module) -> nn.Module:
    """Draw new weights for every layer, except frozen ones."""
    for layer in module.modules():
        if not any(w.requires_grad for w in layer.parameters(recurse=False)):
            continue
        if not hasattr(layer, "reset_parameters"):
            raise ValueError(
                "network must be made of layers with reset_parameters so that members "
                f"start apart, got a {type(layer).__name__} without it. Pass a "
                "function (n_inputs, n_outputs) -> module instead."
            )
        layer.reset_parameters()  # type: ignore[operator]
    return module
