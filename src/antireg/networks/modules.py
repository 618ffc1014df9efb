"""Members of any architecture, vectorised by `torch.func`."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.func import functional_call, vmap

from antireg.networks.stack import Stack, Tape

Factory = Callable[[int, int], nn.Module]

_alone = threading.RLock()
"""A pass puts other weights into the module for its time, and a start is drawn from
the random numbers of the process: threads take turns."""


class ModuleStack(Stack):
    """Members of any architecture, vectorised by `torch.func`."""

    def __init__(
        self, flat: Tensor, shapes: dict[str, tuple[int, ...]], module: nn.Module
    ) -> None:
        """Keep the weights and one module that gives them their meaning."""
        super().__init__(flat, shapes)
        self.module = module

    def architecture(self) -> str:
        """Return the classes of all layers, and the settings they hold."""
        layers = [
            (name, f"{type(layer).__module__}.{type(layer).__qualname__}", _held(layer))
            for name, layer in self.module.named_modules()
        ]
        return f"{self.shapes} {self.module} {layers}"

    def frozen(self) -> list[Tensor]:
        """Return frozen weights and buffers."""
        frozen = [w for w in self.module.parameters() if not w.requires_grad]
        return [*frozen, *self.module.buffers()]

    def __call__(self, x: Tensor) -> Tensor:
        """Return the outputs of every member, (members, rows, outputs)."""

        def one(weights: dict[str, Tensor], rows: Tensor) -> Tensor:
            return functional_call(self.module, weights, (rows,))  # type: ignore[no-any-return]

        rows_axis = 0 if x.dim() == 3 else None
        self.module.to(x.device)
        # Layers that behave otherwise in training (dropout) do so while gradients do.
        self.module.train(torch.is_grad_enabled())
        run = vmap(one, in_dims=(0, rows_axis), randomness="different")
        return run(self.weights(), x)

    def predictor(self) -> Callable[[Tensor], Tensor]:
        """Return the pass, for one thread at a time."""

        def outputs_of(x: Tensor) -> Tensor:
            with _alone:
                return self(x)

        return outputs_of

    def tape(self) -> ModuleTape:
        """Return passes by autograd."""
        return ModuleTape(self)


class ModuleTape(Tape):
    """Forward and backward of any architecture, by autograd."""

    uses_autograd: ClassVar[bool] = True

    def __init__(self, stack: ModuleStack) -> None:
        """Keep the members."""
        self.stack = stack

    @torch.enable_grad()
    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs of every member, (members, rows, outputs)."""
        self.outputs = self.stack(x)
        return self.outputs.detach()

    def backward(self, gradient: Tensor, out: Tensor) -> None:
        """Write the gradient of the last pass's outputs through to the weights."""
        (into,) = torch.autograd.grad(self.outputs, self.stack.flat, gradient)
        out.copy_(into)


def modules(
    network: nn.Module | Factory,
    n_inputs: int,
    n_outputs: int,
    *,
    seeds: Sequence[int],
) -> ModuleStack:
    """Return members of the user's own architecture, one per seed.

    Args:
        network: A module, whose layers are drawn anew for every member by their
            `reset_parameters`, or a function of the numbers of inputs and outputs
            that returns a new module.
        n_inputs: Columns of the inputs.
        n_outputs: Columns the loss needs.
        seeds: One seed per member.
    """
    members = []
    for seed in seeds:
        with _alone, torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            if isinstance(network, nn.Module):
                member = _reset(copy.deepcopy(network))
            else:
                member = _made(network, n_inputs, n_outputs)
        members.append(member.float().cpu())
    module = members[0]
    _check_module(module, n_inputs, n_outputs)
    _check_members(members)
    shapes = {name: tuple(w.shape) for name, w in _trainable(module).items()}
    flat = [
        torch.cat([w.detach().flatten() for w in _trainable(member).values()])
        for member in members
    ]
    return ModuleStack(torch.stack(flat), shapes, module)


def _held(layer: nn.Module) -> dict[str, str]:
    """Return a layer's own settings: numbers, words and functions, by name."""
    held = {}
    for name, value in sorted(vars(layer).items()):
        if name.startswith("_") or name == "training":
            continue
        if isinstance(value, int | float | str | tuple | list):
            held[name] = repr(value)
        elif callable(value):
            held[name] = getattr(value, "__qualname__", type(value).__qualname__)
    return held


def _made(network: Factory, n_inputs: int, n_outputs: int) -> nn.Module:
    """Return what a user's function makes of the numbers of inputs and outputs."""
    name = getattr(network, "__name__", type(network).__name__)
    rule = (
        "network must be a module, or a function (n_inputs, n_outputs) -> module, got "
        f"{'the class ' if isinstance(network, type) else ''}{name}"
    )
    way_out = f"Pass network={name}(...)" if isinstance(network, type) else "Pass one"
    way_out += ", or network=lambda n_inputs, n_outputs: ... that returns a new one."
    try:
        made = network(n_inputs, n_outputs)
    except TypeError as error:
        raise ValueError(
            f"{rule}, which cannot be called with ({n_inputs}, {n_outputs}): {error}. "
            f"{way_out}"
        ) from error
    if not isinstance(made, nn.Module):
        raise ValueError(f"{rule}, which returns a {type(made).__name__}. {way_out}")
    return made


def _trainable(module: nn.Module) -> dict[str, nn.Parameter]:
    return {name: w for name, w in module.named_parameters() if w.requires_grad}


def _reset(module: nn.Module) -> nn.Module:
    """Draw the weights of every layer anew, but for frozen ones."""
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


def _check_module(module: nn.Module, n_inputs: int, n_outputs: int) -> None:
    """Refuse modules whose members could not be stacked or trained."""
    for layer in module.modules():
        statistics = getattr(layer, "running_mean", None) is not None
        if statistics or isinstance(layer, nn.modules.batchnorm._BatchNorm):
            raise ValueError(
                "network must not keep running statistics or depend on the batch, got "
                f"a {type(layer).__name__}. Use LayerNorm or GroupNorm, or freeze the "
                "part that has it and pass its features as X."
            )
    if not any(w.requires_grad for w in module.parameters()):
        raise ValueError("network must have weights to train, got a module with none.")
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        try:
            outputs = module(torch.zeros(2, n_inputs))
        except RuntimeError as error:
            raise ValueError(
                f"network must take inputs (rows, {n_inputs}), got an error from the "
                f"module: {error}. Does its first layer have {n_inputs} inputs?"
            ) from error
    if tuple(outputs.shape) != (2, n_outputs):
        raise ValueError(
            f"network must return (rows, {n_outputs}) for inputs (rows, {n_inputs}), "
            f"got {tuple(outputs.shape)} for 2 rows. The loss sets the outputs: "
            "two per target for gaussian_nll, one per class for classes, one for two "
            "classes."
        )


def _check_members(members: Sequence[nn.Module]) -> None:
    """Refuse members that start alike, or differ in what is not trained."""
    first = members[0]
    for member in members[1:]:
        frozen = {
            k: w for k, w in member.state_dict().items() if k not in _trainable(member)
        }
        alike = all(torch.equal(w, first.state_dict()[k]) for k, w in frozen.items())
        if not alike:
            raise ValueError(
                "network must have the same buffers and frozen weights in all members, "
                f"got others among {', '.join(frozen)}. Draw them once, outside the "
                "function, or let them be trained."
            )
        pairs = zip(first.parameters(), member.parameters(), strict=True)
        if all(torch.equal(one, other) for one, other in pairs):
            raise ValueError(
                "network must give every member its own start, got the same weights "
                "twice. Build the module inside the function."
            )
