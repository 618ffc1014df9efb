"""Trained modules, run as they are: nothing in them is drawn, trained or changed.

They run in evaluation mode, so that batch norm uses its running statistics and dropout
is off, and every layer is put back into its own mode afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from antireg.networks.turns import Turns
from antireg.rows.checks import shown

_alone = Turns()
"""Modes and hooks are those of the module itself, so threads take turns."""

PROBES = 5
"""Rows that modules are tried on."""

SAME = 1e-3
"""Largest difference that rounding may make, relative to the largest output."""


@dataclass(frozen=True, eq=False)
class Modules:
    """Several trained modules that take the same rows.

    Attributes:
        members: The modules themselves, not copies of them.
        has_hidden: Whether all have a last linear layer after other layers, so that
            rows can be compared by what enters it.
    """

    members: tuple[nn.Module, ...]
    has_hidden: bool = False

    @classmethod
    def of(cls, networks: Any, rows: Tensor) -> Modules:
        """Return modules that were tried on some rows, or say what is wrong with them.

        Args:
            networks: A module, or several.
            rows: As the modules take them, (rows, ...).
        """
        members = as_members(networks)
        outputs, hidden = cls(members, has_hidden=True)(rows[:PROBES])
        _check_rows_alone(cls(members), rows[:PROBES], outputs)
        return cls(members, has_hidden=hidden is not None)

    @property
    def n_weights(self) -> int:
        """Weights of all modules."""
        return sum(w.numel() for member in self.members for w in member.parameters())

    def __call__(self, rows: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return outputs, (members, rows, outputs), and what enters the last layers.

        That is (rows, units), all members side by side; None if they are not to say it,
        or some of them cannot.

        Args:
            rows: As the modules take them, (rows, ...).
        """
        with _alone, evaluating(self.members):
            seen = [_seen(member, rows, self.has_hidden) for member in self.members]
        outputs = [_as_columns(said, len(rows)) for said, _ in seen]
        if len({said.shape[1] for said in outputs}) > 1:
            raise ValueError(
                "networks must have the same number of outputs, got "
                f"{[said.shape[1] for said in outputs]}. Leave out those that differ."
            )
        place = rows.device
        hidden = [units.to(place) for _, units in seen if units is not None]
        joined = torch.cat(hidden, 1) if len(hidden) == len(outputs) else None
        return torch.stack([said.to(place) for said in outputs]), joined


def as_members(networks: Any) -> tuple[nn.Module, ...]:
    """Return modules as a tuple, or say what is wrong with them."""
    members = (networks,) if isinstance(networks, nn.Module) else networks
    if not isinstance(members, Sequence | nn.ModuleList) or not len(members):
        raise ValueError(
            "networks must be a trained torch.nn.Module, or several of them, got "
            f"{shown(networks)}. Pass [net_a, net_b]."
        )
    for member in members:
        if not isinstance(member, nn.Module):
            raise ValueError(
                f"networks must be trained modules, got {shown(member)} among them. "
                "Pass [net_a, net_b]; of skorch, net.module_."
            )
    return tuple(members)


@contextmanager
def evaluating(members: Sequence[nn.Module]) -> Iterator[None]:
    """Put modules into evaluation mode, and then every layer back into its own."""
    modes = [(layer, layer.training) for m in members for layer in m.modules()]
    try:
        for member in members:
            member.eval()
        yield
    finally:
        for layer, mode in modes:
            layer.training = mode


def _seen(
    member: nn.Module, rows: Tensor, look_inside: bool
) -> tuple[Any, Tensor | None]:
    """Return what a module says of rows, and what enters its last linear layer."""
    entered: list[Tensor] = []
    layers = [m for m in member.modules() if isinstance(m, nn.Linear) and look_inside]
    hooks = [
        layer.register_forward_pre_hook(lambda _, given: entered.append(given[0]))
        for layer in layers
    ]
    rows = _as_it_takes(member, rows)
    try:
        said = member(rows)
    except Exception as error:  # the user's code may raise anything
        way_out = (
            "Give X the axes it was trained with."
            if len(rows) > 1
            else "It must take a single row too: batch norm needs running statistics."
        )
        raise ValueError(
            f"networks must take X as it is given, {tuple(rows.shape)}, got an error "
            f"from a {type(member).__name__}: {error}. {way_out}"
        ) from error
    finally:
        for hook in hooks:
            hook.remove()
    if not entered or len(entered[-1]) != len(rows):
        return said, None
    units = entered[-1].flatten(1)
    if units.shape == rows.flatten(1).shape and torch.equal(units, rows.flatten(1)):
        return said, None  # it has no other layers
    return said, units.detach().float()


def _as_it_takes(member: nn.Module, rows: Tensor) -> Tensor:
    """Return rows on the device and in the precision of a module's weights."""
    for weight in member.parameters():
        if weight.is_floating_point():
            return rows.to(weight.device, weight.dtype)
    return rows.to(torch.get_default_dtype())


def _as_columns(said: Any, n_rows: int) -> Tensor:
    """Return what a module says as (rows, outputs), in double precision."""
    parts = said if isinstance(said, tuple | list) else [said]
    columns = []
    for part in parts:
        if not isinstance(part, Tensor) or part.dim() not in (1, 2):
            kind = tuple(part.shape) if isinstance(part, Tensor) else type(part)
            raise ValueError(
                f"networks must return (rows, outputs), or several such, got {kind}. "
                "Wrap the module in one that does."
            )
        columns.append((part[:, None] if part.dim() == 1 else part).double())
    joined = torch.cat(columns, 1)
    if len(joined) != n_rows or not joined.shape[1]:
        raise ValueError(
            f"networks must return one row for each of X, {n_rows}, got "
            f"{tuple(joined.shape)}. Wrap the module in one that does."
        )
    return joined


@torch.no_grad()
def _check_rows_alone(modules: Modules, rows: Tensor, together: Tensor) -> None:
    """Raise for modules whose output for a row depends on other rows."""
    alone = torch.cat([modules(row)[0] for row in rows.split(1)], 1)
    close = SAME * float(together.abs().nan_to_num().max())
    if not torch.allclose(alone, together, rtol=0.0, atol=close, equal_nan=True):
        raise ValueError(
            "networks must say of a row what depends on that row alone, got other "
            "outputs for a row among others than for the row by itself. Do they use "
            "batch norm without running statistics, or draw random numbers?"
        )
