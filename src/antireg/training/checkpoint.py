"""Checkpoints: the whole state of a training, written every few seconds."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from antireg.disk.atomic import write_whole
from antireg.rows.data import Inputs
from antireg.training.state import State

SECONDS = 2.0
"""Time between two writes. Epochs of small tables are much shorter."""

CHUNK_ROWS = 2**12
"""Rows of the data to read at a time."""


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
            with safe_open(self.path, framework="pt") as file:
                told = file.metadata() or {}
                found = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except SafetensorError as error:
            raise self._damaged(str(error)) from error
        if told.get("identity") != self.identity:
            raise ValueError(
                f"checkpoint {self.path.parent} must belong to the same data, network "
                "and settings, got those of another training. Use another folder, or "
                "delete this one."
            )
        # Older files have no checksum and are refused too: that costs only time, while
        # a changed bit would silently lead to a different model.
        if told.get("sha256") != _checksum(found):
            raise self._damaged("its numbers do not match its checksum")
        state.restore(found, n_epochs)

    def write(self, state: State) -> None:
        """Write the state if the last write was long ago or the training is done."""
        if not state.done and time.monotonic() - self.written < SECONDS:
            return
        tensors = {name: t.cpu().contiguous() for name, t in state.tensors().items()}
        told = {"identity": self.identity, "sha256": _checksum(tensors)}
        write_whole(self.path, save(tensors, told))
        self.written = time.monotonic()

    def _damaged(self, reason: str) -> ValueError:
        return ValueError(
            f"checkpoint file {self.path} is damaged ({reason}). Delete it to start "
            "this training again."
        )


def _checksum(tensors: dict[str, Tensor]) -> str:
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
