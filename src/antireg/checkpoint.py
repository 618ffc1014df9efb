"""A training that survives being killed: its whole state, written every few seconds."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from antireg.atomic import write_whole
from antireg.state import State

SECONDS = 2.0
"""Time between two writes. Epochs of small tables are much shorter."""

CHUNK_ROWS = 2**12
"""Rows of the data that are looked at in one go."""


class Checkpoint:
    """The file of one training.

    Args:
        path: Where it is written, under a temporary name first.
        identity: What training it is; a file of another one is refused.
    """

    def __init__(self, path: Path, identity: str) -> None:
        """Make the folder, and wait for the first epoch."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.identity = identity
        self.written = time.monotonic()

    def resume(self, state: State, n_epochs: int) -> None:
        """Bring a state to where its training was last written, if it was."""
        if not self.path.exists():
            return
        try:
            with safe_open(self.path, framework="pt") as file:
                identity = (file.metadata() or {}).get("identity")
                found = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except SafetensorError as error:
            raise ValueError(
                f"checkpoint file {self.path} is damaged ({error}). Delete it to start "
                "this training again."
            ) from error
        if identity != self.identity:
            raise ValueError(
                f"checkpoint {self.path.parent} must belong to the same data and "
                "settings, got those of another training. Use another folder, or "
                "delete this one."
            )
        state.restore(found, n_epochs)

    def write(self, state: State, now: bool = False) -> None:
        """Write the state if it is time to, if the training is done, or if `now`."""
        if not (now or state.done) and time.monotonic() - self.written < SECONDS:
            return
        tensors = {name: t.cpu().contiguous() for name, t in state.tensors().items()}
        write_whole(self.path, save(tensors, {"identity": self.identity}))
        self.written = time.monotonic()


def epochs_written(path: Path) -> int:
    """Return how many epochs of a training are in its file, 0 if none can be read."""
    if not path.exists():
        return 0
    try:
        with safe_open(path, framework="pt") as file:
            return int(file.get_slice("history").get_shape()[0])
    except SafetensorError:
        return 0


def identity_of(tensors: list[Tensor], settings: object) -> str:
    """Return a hash that is the same for the same data and settings."""
    digest = hashlib.sha256(repr(settings).encode())
    for tensor in tensors:
        digest.update(repr(tuple(tensor.shape)).encode())
        for rows in tensor.split(CHUNK_ROWS):
            digest.update(rows.detach().cpu().contiguous().numpy())
    return digest.hexdigest()
