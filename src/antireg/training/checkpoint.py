"""Checkpoints: the whole state of a training, written every few seconds."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from antireg.disk.atomic import write_whole
from antireg.history import HISTORY
from antireg.rows.data import Inputs
from antireg.training.state import State

SECONDS = 2.0
"""Time between two writes. Epochs of small tables are much shorter."""

CHUNK_ROWS = 2**12
"""Rows of the data to read at a time."""

LARGEST_HEADER = 2**20
LONGEST_REASON = 300
"""Characters of what another package says of a damaged file."""


class Checkpoint:
    """The file of one training.

    Args:
        path: Where it is written, under a temporary name first.
        identity: Identifies the training; a file of another one is refused.
    """

    def __init__(self, path: Path, identity: str) -> None:
        """Write nothing yet."""
        self.path = path
        self.identity = identity
        self.written = 0.0

    def resume(self, state: State, n_epochs: int) -> None:
        """Restore a state from the file, if there is one."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.written = time.monotonic()
        if not self.path.exists():
            return
        try:
            _check_header(self.path)
            with safe_open(self.path, framework="pt") as file:
                told = file.metadata() or {}
                self._check_identity(told)
                found = _tensors(file, state.tensors(), n_epochs)
            # Older files have no checksum. They are refused too: what is lost is time,
            # and a changed bit in one would lead to another model without a word.
            if told.get("sha256") != checksum(found):
                raise Damage("its numbers are not those of its checksum")
            _check_values(found)
            state.restore(found, n_epochs)
        except (Damage, SafetensorError, RuntimeError) as error:
            raise self._damaged(error) from error

    def write(self, state: State) -> None:
        """Write the state if the last write was long ago or the training is done."""
        if not state.done and time.monotonic() - self.written < SECONDS:
            return
        tensors = {name: t.cpu().contiguous() for name, t in state.tensors().items()}
        told = {"identity": self.identity, "sha256": checksum(tensors)}
        write_whole(self.path, save(tensors, told))
        self.written = time.monotonic()

    def _check_identity(self, told: dict[str, str]) -> None:
        if told.get("identity") != self.identity:
            raise ValueError(
                f"checkpoint {self.path.parent} must belong to the same data, network "
                "and settings, got those of another training. Use another folder, or "
                "delete this one."
            )

    def _damaged(self, error: Exception) -> ValueError:
        reason = str(error).partition("\n")[0][:LONGEST_REASON]
        return ValueError(
            f"checkpoint file {self.path} is damaged ({reason}). Delete it to start "
            "this training again."
        )


class Damage(Exception):
    """What is wrong with a file."""


def _check_header(path: Path) -> None:
    """Raise unless it is a plain file with a header that can be read at once."""
    if not path.is_file():
        raise Damage("it is not a plain file")
    with path.open("rb") as file:
        if int.from_bytes(file.read(8), "little") > LARGEST_HEADER:
            raise Damage("its header is larger than it may be")


def _tensors(file: Any, wanted: dict[str, Tensor], n_epochs: int) -> dict[str, Tensor]:
    """Return the tensors of a file, if they are those of such a state."""
    names = set(file.keys())
    if names != set(wanted):
        raise Damage(f"it must hold {', '.join(sorted(wanted))}")
    of_epoch = (len(HISTORY), len(wanted["kept"]))
    for name, tensor in wanted.items():
        shape = tuple(file.get_slice(name).get_shape())
        fits = shape == tensor.shape
        if name == "history":
            fits = shape[1:] == of_epoch and 1 <= shape[0] <= n_epochs
        if not fits:
            raise Damage(f"its {name} must not be of shape {shape}")
    found = {name: file.get_tensor(name) for name in wanted}
    for name, tensor in found.items():
        if tensor.dtype != wanted[name].dtype:
            raise Damage(f"its {name} must not be {tensor.dtype}")
    return found


def _check_values(tensors: dict[str, Tensor]) -> None:
    """Raise if no training can have come to these numbers."""
    for name in ("weights", "average", "square", "kept_weights", "history", "seconds"):
        if not tensors[name].isfinite().all():
            raise Damage(f"its {name} must be finite")
    kept, n_epochs = tensors["kept"], len(tensors["history"])
    if kept.min() < 0 or kept.max() > n_epochs:
        raise Damage("it has kept epochs that were not trained")


def checksum(tensors: dict[str, Tensor]) -> str:
    """Return a SHA-256 of names, types, shapes and bytes."""
    digest = hashlib.sha256()
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(np.ascontiguousarray(tensor.numpy()).data)
    return digest.hexdigest()


def identity_of(tensors: list[Inputs], settings: object) -> str:
    """Return a hash that is the same for the same data and settings."""
    digest = hashlib.sha256(repr(settings).encode())
    for tensor in tensors:
        digest.update(repr(tuple(tensor.shape)).encode())
        listed = torch.atleast_1d(tensor) if isinstance(tensor, Tensor) else tensor
        for rows in listed.split(CHUNK_ROWS):
            digest.update(rows.detach().cpu().contiguous().numpy().data)
    return digest.hexdigest()
