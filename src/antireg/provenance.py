"""What a model remembers of the rows it was trained on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Array = NDArray[np.float64]

CHUNK_ROWS = 2**16


@dataclass(frozen=True, eq=False)
class TrainingData:
    """A trace of the training rows that is small enough to keep with the model.

    Attributes:
        n_rows: Rows given to `fit`, the held-out ones included.
        fingerprint: SHA-256 of X and y as given; the same rows give the same one.
        mean: Of each input as the network saw it, (features,).
        variance: Of each input as the network saw it, (features,).
    """

    n_rows: int
    fingerprint: str
    mean: Array
    variance: Array


def fingerprint(X: NDArray[Any], y: NDArray[Any]) -> str:
    """Return the SHA-256 of both arrays, shapes included, in hexadecimal."""
    digest = hashlib.sha256()
    for given in (X, y):
        values = given.astype(str) if given.dtype.kind == "O" else given
        digest.update(f"{values.dtype.str}{values.shape}".encode())
        for first in range(0, len(values), CHUNK_ROWS):
            rows = np.ascontiguousarray(values[first : first + CHUNK_ROWS])
            digest.update(rows.view(np.uint8).data)
    return digest.hexdigest()


def moments(inputs: Tensor) -> tuple[Array, Array]:
    """Return the mean and the variance of each column, (columns,) each."""
    chunks = inputs.split(CHUNK_ROWS)
    mean = torch.stack([rows.double().sum(0) for rows in chunks]).sum(0) / len(inputs)
    squares = [(rows.double() - mean).square().sum(0) for rows in chunks]
    variance = torch.stack(squares).sum(0) / len(inputs)
    return mean.cpu().numpy(), variance.cpu().numpy()
