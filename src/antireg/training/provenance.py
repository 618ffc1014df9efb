"""What a model remembers of the rows it was trained on."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from antireg.process import one_thread
from antireg.rows.data import Inputs
from antireg.rows.scaling import Scaling
from antireg.rows.stored import Stored

Array = NDArray[np.float64]

CHUNK_ROWS = 2**16
CHUNK_NUMBERS = 2**24
"""Rows to read at a time, fewer if they are wide."""

CACHED_NUMBERS = 2**16
"""Numbers to process at a time."""


ROUNDINGS = 2 * 2.0**-24
"""Of single precision, as a share of a number."""


@dataclass(frozen=True, eq=False)
class TrainingData:
    """A summary of the training rows, small enough to store with the model.

    Attributes:
        n_rows: Rows given to `fit`, including those held out.
        fingerprint: SHA-256 of X and y as given.
        mean: Of each input as the network saw it, (features,).
        variance: Of each input as the network saw it, (features,).
        low: The least of each input as given, (features,); None in older models.
        high: The greatest.
    """

    n_rows: int
    fingerprint: str
    mean: Array
    variance: Array
    low: Array | None = None
    high: Array | None = None

    @classmethod
    def of_references(
        cls, inputs: NDArray[np.floating], scaling: Scaling
    ) -> TrainingData:
        """Return the summary of a model that knows its references alone.

        Ranges are two roundings of single precision wider than theirs: a row that is
        among the references must not be outside.

        Args:
            inputs: The references, as rows are compared, (rows, features).
            scaling: Of these numbers.
        """
        scaled = inputs.astype(np.float64)
        given = scaling.unscaled(scaled)
        room = ROUNDINGS * scaling.scale * np.abs(scaled).max(axis=0)
        low, high = extremes(given)
        seen = scaled.mean(axis=0), scaled.var(axis=0), low - room, high + room
        return cls(len(inputs), fingerprint(inputs, np.zeros(0)), *seen)


def remembered(
    X: NDArray[Any] | Stored,
    y: NDArray[Any],
    inputs: Inputs,
    parts: Sequence[NDArray[Any] | Stored],
) -> TrainingData:
    """Return what to remember of rows.

    Args:
        X: All rows as given, (rows, features).
        y: Their targets.
        inputs: Those that were trained on, as the network saw them.
        parts: All of weight > 0, as given, in parts.
    """
    trace, seen = fingerprint(X, y), (*moments(inputs), *extremes(*parts))
    return TrainingData(len(X), trace, *seen)


def fingerprint(X: NDArray[Any] | Stored, y: NDArray[Any]) -> str:
    """Return the SHA-256 of both arrays, shapes included, in hexadecimal."""
    digest = hashlib.sha256()
    for given in (X, y):
        objects = given.dtype.kind == "O"
        values = np.asarray(given, dtype=str) if objects else given
        digest.update(f"{values.dtype.str}{values.shape}".encode())
        n_rows = _rows_of_chunk(values.shape)
        for first in range(0, len(values), n_rows):
            rows = np.ascontiguousarray(values[first : first + n_rows])
            digest.update(rows.view(np.uint8).data)
    return digest.hexdigest()


def moments(inputs: Inputs) -> tuple[Array, Array]:
    """Return the mean and the variance of each column, (columns,) each."""
    with one_thread():
        total = torch.zeros(inputs.shape[1], dtype=torch.float64, device=inputs.device)
        for rows in _in_cache(inputs):
            total += rows.double().sum(0)
        mean = total / len(inputs)
        total.zero_()
        for rows in _in_cache(inputs):
            total += rows.double().sub_(mean).square_().sum(0)
        return mean.cpu().numpy(), (total / len(inputs)).cpu().numpy()


def extremes(*parts: NDArray[Any] | Stored) -> tuple[Array, Array]:
    """Return the least and the greatest of each column of all parts, (columns,) each.

    Args:
        *parts: Rows as given, (rows, columns) each.
    """
    low = np.min([part.min(axis=0) for part in parts], axis=0)
    high = np.max([part.max(axis=0) for part in parts], axis=0)
    return low.astype(np.float64), high.astype(np.float64)


def _in_cache(inputs: Inputs) -> Iterator[Tensor]:
    """Yield rows, few enough at a time to stay in the processor's cache."""
    for rows in inputs.split(_rows_of_chunk(inputs.shape)):
        yield from rows.split(max(1, CACHED_NUMBERS // max(1, inputs.shape[1])))


def _rows_of_chunk(shape: Sequence[int]) -> int:
    return max(1, min(CHUNK_ROWS, CHUNK_NUMBERS // math.prod(shape[1:])))
