"""Rows sent once to every worker that trains on them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import joblib
import numpy as np
import torch
from joblib.parallel import get_active_backend
from torch import Tensor

from antireg.data.base import Data


class Parcel:
    """Rows as NumPy arrays, of which workers on one machine can share one copy."""

    def __init__(self, data: Data, validation: Data) -> None:
        """Pack the rows to train on and the held-out ones."""
        both = (data, validation)
        tensors = [part for rows in both for part in (rows.x, rows.y, rows.weight)]
        self.parts = [t.numpy() if isinstance(t, Tensor) else t for t in tensors]

    def opened(self) -> tuple[Data, Data]:
        """Return both as the trainer takes them."""
        with warnings.catch_warnings():
            # What comes out of a shared store is read-only. Nobody writes to it.
            warnings.filterwarnings("ignore", "The given NumPy array is not writable")
            parts: list[Any] = [
                torch.from_numpy(part) if isinstance(part, np.ndarray) else part
                for part in self.parts
            ]
        return Data(*parts[:3]), Data(*parts[3:])


@contextmanager
def sent(parcel: Parcel) -> Iterator[Any]:
    """Yield what stands for the parcel in calls, once every machine can reach it.

    joblib itself shares large arrays between processes. A cluster would get them anew
    with every training, and Dask lose them with the one worker that holds them.
    """
    backend, n_jobs = get_active_backend()
    engine = type(backend).__module__
    if engine.startswith("ray."):
        import ray  # only there can it be needed  # noqa: PLC0415

        yield ray.put(parcel)
    elif engine.endswith("_dask"):
        with joblib.parallel_config(
            "dask",
            n_jobs=n_jobs,
            client=backend.client,
            scatter=[parcel],
            **backend.submit_kwargs,
        ):
            yield parcel
    else:
        yield parcel


def unpacked(sent_parcel: Any) -> tuple[Data, Data]:
    """Return the rows to train on and the held-out ones, in a worker."""
    if isinstance(sent_parcel, Parcel):
        return sent_parcel.opened()
    import ray  # what was sent is a place in its store  # noqa: PLC0415

    parcel: Parcel = ray.get(sent_parcel)
    return parcel.opened()
