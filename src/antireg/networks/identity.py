"""What tells a module from another of the same weights: the values that it holds."""

from __future__ import annotations

import functools
import hashlib
import types
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

DEEPEST = 8
"""Containers and closures within each other that are looked into."""


def told(module: nn.Module) -> str:
    """Return the classes of all layers, and the values they hold, as text."""
    layers = [
        (name, _kind(type(layer)), _told(_own(layer), 0))
        for name, layer in module.named_modules()
    ]
    return f"{module} {layers}"


def _own(layer: nn.Module) -> dict[str, Any]:
    """Return a layer's own attributes; weights and buffers are told elsewhere."""
    return {
        name: value
        for name, value in vars(layer).items()
        if not name.startswith("_") and name != "training"
    }


def _told(value: Any, depth: int) -> str:
    """Return a text that is the same for the same value, in any process."""
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return repr(value)
    if isinstance(value, Tensor):
        return _tensor(value)
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        return f"{value.dtype} {value.shape} {_digest(value.tobytes())}"
    if depth == DEEPEST:
        return _kind(type(value))
    parts = _parts(value)
    inner = [_told(part, depth + 1) for part in parts]
    if isinstance(value, dict | set | frozenset):
        inner.sort()
    return f"{_name(value)}({', '.join(inner)})"


def _parts(value: Any) -> list[Any]:
    """Return what a container or a function is made of."""
    if isinstance(value, dict | list | tuple | set | frozenset):
        return list(value.items() if isinstance(value, dict) else value)
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, types.MethodType):
        return [value.__func__]
    if isinstance(value, types.CodeType):
        return [value.co_code, value.co_consts, value.co_names]
    if isinstance(value, types.FunctionType):
        closure = [_content(cell) for cell in value.__closure__ or ()]
        return [value.__code__, value.__defaults__, value.__kwdefaults__, closure]
    return []


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing was assigned yet
        return None


def _tensor(values: Tensor) -> str:
    """Return type, shape and, where memory holds them as they are, the values."""
    kind = f"{values.dtype} {tuple(values.shape)}"
    try:
        plain = values.detach().cpu().clone(memory_format=torch.contiguous_format)
        content = plain.reshape(-1).view(torch.uint8).numpy().tobytes()
    except RuntimeError:  # as of sparse tensors, and those without values
        return kind
    return f"{kind} {_digest(content)}"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _name(value: Any) -> str:
    """Return the name of a function, or of the class of anything else."""
    return getattr(value, "__qualname__", None) or _kind(type(value))


def _kind(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
