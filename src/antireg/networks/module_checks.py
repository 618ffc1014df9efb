"""Which modules can be members of an ensemble, and why others cannot.

A member sees batches of any size and composition, in training and later, so its output
for a row must depend on that row alone. Any code that respects this will do.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.parameter import UninitializedParameter

BATCH_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm)

PROBES = 5
"""Number of rows that a module is tried on."""

SAME = 1e-3
"""Largest difference that rounding may make, relative to the largest output."""


def trainable(module: nn.Module) -> dict[str, nn.Parameter]:
    """Return the trainable weights by name; tied ones once, by their first name."""
    return {name: w for name, w in module.named_parameters() if w.requires_grad}


def check_module(module: nn.Module, n_inputs: int, n_outputs: int) -> None:
    """Raise for a module whose members could not be stacked or trained.

    Args:
        module: A member.
        n_inputs: Columns of the inputs.
        n_outputs: Columns the loss needs.
    """
    for layer in module.modules():
        statistics = getattr(layer, "running_mean", None) is not None
        if statistics or isinstance(layer, BATCH_NORMS):
            raise ValueError(
                "network must not keep running statistics or depend on the batch, got "
                f"a {type(layer).__name__}. Use LayerNorm or GroupNorm, or freeze the "
                "part that has it and pass its features as X."
            )
    if not any(w.requires_grad for w in module.parameters()):
        raise ValueError(
            "network must have weights to train, got a module with none. Unfreeze some "
            "with requires_grad_(True)."
        )
    if any(isinstance(w, UninitializedParameter) for w in module.parameters()):
        raise ValueError(
            "network must know the shapes of its weights, got a lazy layer. Pass a "
            "function (n_inputs, n_outputs) -> module that builds it for n_inputs."
        )
    probe = torch.rand(PROBES, n_inputs)
    kept = {name: values.clone() for name, values in module.state_dict().items()}
    training = module.training
    try:
        for mode in (False, True):
            module.train(mode)
            _check_outputs(_outputs(module, probe), n_inputs, n_outputs)
            _check_rows_alone(module, probe)
    finally:
        module.train(training)
    _check_state(module, kept)


def _outputs(module: nn.Module, rows: Tensor) -> Tensor:
    n_rows, n_inputs = rows.shape
    try:
        with torch.no_grad():
            outputs: Tensor = module(rows)
    except Exception as error:  # the user's code may raise anything
        hint = (
            f"Does its first layer have {n_inputs} inputs?"
            if n_rows > 1
            else "It must take a single row too."
        )
        raise ValueError(
            f"network must take inputs (rows, {n_inputs}), got an error from the "
            f"module: {error}. {hint}"
        ) from error
    return outputs


def _check_outputs(outputs: object, n_inputs: int, n_outputs: int) -> None:
    expected = f"network must return (rows, {n_outputs}) for inputs (rows, {n_inputs})"
    if not isinstance(outputs, Tensor):
        raise ValueError(
            f"{expected}, got a {type(outputs).__name__}. Return one tensor, such as "
            "the first of what an LSTM returns."
        )
    if tuple(outputs.shape) != (PROBES, n_outputs):
        raise ValueError(
            f"{expected}, got {tuple(outputs.shape)} for {PROBES} rows. The loss sets "
            "the outputs: two per target for gaussian_nll, one per class for classes, "
            "one for two classes."
        )
    if not outputs.is_floating_point():
        raise ValueError(f"{expected} as floats, got {outputs.dtype}.")


def _check_rows_alone(module: nn.Module, probe: Tensor) -> None:
    """Raise for a module whose output for a row depends on other rows."""
    before = torch.random.get_rng_state()
    together = _outputs(module, probe)
    if not torch.equal(before, torch.random.get_rng_state()):
        return  # It draws random numbers, as dropout does: outputs cannot be compared.
    alone = torch.cat([_outputs(module, row) for row in probe.split(1)])
    close = SAME * float(together.abs().nan_to_num().max())
    same = alone.shape == together.shape and torch.allclose(
        alone, together, rtol=0.0, atol=close, equal_nan=True
    )
    if not same:
        raise ValueError(
            "network must say of a row what depends on that row alone, got other "
            "outputs for a row among others than for the row by itself. Take means, "
            "norms and attention over features (the last axis), not over rows."
        )


def _check_state(module: nn.Module, before: dict[str, Tensor]) -> None:
    """Raise for a module that remembers the rows it has seen."""
    for name, values in module.state_dict().items():
        if not torch.equal(values, before[name]):
            raise ValueError(
                "network must not change as it is run, got a module that writes to "
                f"{name!r}. Compute it from the row, or freeze it."
            )


def check_members(members: Sequence[nn.Module]) -> None:
    """Raise if members differ in shape or frozen values, or start out equal."""
    first = members[0]
    shapes = {name: w.shape for name, w in trainable(first).items()}
    # All names of a tied weight: the values under each are trained.
    weights = first.named_parameters(remove_duplicate=False)
    trained = {name for name, w in weights if w.requires_grad}
    fixed = {k: w for k, w in first.state_dict().items() if k not in trained}
    for member in members[1:]:
        if {name: w.shape for name, w in trainable(member).items()} != shapes:
            raise ValueError(
                "network must have the same weights in all members, got other names or "
                "shapes from the same function. Let only their values be random."
            )
        others = member.state_dict()
        if not all(torch.equal(w, others[k]) for k, w in fixed.items() if k in others):
            raise ValueError(
                "network must have the same buffers and frozen weights in all members, "
                f"got others among {', '.join(fixed)}. Draw them once, outside the "
                "function, or let them be trained."
            )
        pairs = zip(first.parameters(), member.parameters(), strict=True)
        if all(torch.equal(one, other) for one, other in pairs):
            raise ValueError(
                "network must give every member its own start, got the same weights "
                "twice. Build the module inside the function."
            )
