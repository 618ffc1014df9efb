"""Rows sent once to every worker that trains on them."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import torch
from joblib.parallel import get_active_backend
from numpy.typing import NDArray
from torch import Tensor

from antireg.disk.scratch import scratch
from antireg.parallel import clusters
from antireg.rows.data import Data
from antireg.training.problem import Problem

LARGE = 2**20
"""Arrays of at least this many bytes are shared rather than sent to every worker."""

IN_MEMORY = Path("/dev/shm")
"""Folder whose files are kept in memory, if the system has it."""


class Parcel:
    """Rows as NumPy arrays, of which workers on one machine can share one copy."""

    def __init__(self, problem: Problem) -> None:
        """Pack the training and validation rows, and the loss."""
        self.loss = problem.loss
        both = (problem.data, problem.validation)
        tensors = [part for rows in both for part in (rows.x, rows.y, rows.weight)]
        self.parts = [t.numpy() if isinstance(t, Tensor) else t for t in tensors]
        self.name = uuid.uuid4().hex

    def __dask_tokenize__(self) -> str:
        """Return a name that no other parcel has, not even one of the same rows.

        Dask asks for it. It would take the same rows, sent for a fit and then for its
        rehearsals, for one thing, and delete the second when it is told, late, that the
        first is not needed any more.
        """
        return self.name

    def opened(self) -> Problem:
        """Return the problem as the trainer needs it."""
        parts: list[Any] = [
            torch.from_numpy(np.asarray(_Readable(part)))
            if isinstance(part, np.ndarray)
            else part
            for part in self.parts
        ]
        x, y, weight, *held_out = parts
        return Problem(Data(x, y, weight), Data(*held_out), self.loss)


class _Readable:
    """The memory of an array from a shared store, without its mark "read-only".

    PyTorch warns of that mark, though nobody writes to these rows, and a filter of
    warnings would be one for all threads.
    """

    def __init__(self, array: NDArray[Any]) -> None:
        """Keep the array, and thereby its memory."""
        self.array = array
        described = array.__array_interface__
        self.__array_interface__ = described | {"data": (described["data"][0], False)}


@contextmanager
def sent(parcel: Parcel) -> Iterator[Any]:
    """Yield a stand-in for the parcel, once every worker can reach the parcel.

    Otherwise a cluster would get the rows again with every training, and Dask would
    lose them with the one worker that holds them.
    """
    backend, n_jobs = get_active_backend()
    cluster = clusters.kind(backend)
    if cluster == "ray":
        import ray  # only there can it be needed  # noqa: PLC0415

        with joblib.parallel_config(clusters.ray(backend), n_jobs=n_jobs):
            yield ray.put(parcel)
    elif cluster == "dask":
        with joblib.parallel_config(clusters.dask(backend, parcel), n_jobs=n_jobs):
            yield parcel
    else:
        with _shared(parcel):
            yield parcel


@contextmanager
def _shared(parcel: Parcel) -> Iterator[None]:
    """Keep large arrays in files that all processes of this machine map.

    joblib does so too, but then takes a tenth of a second to delete them.
    """
    large = {
        place: part
        for place, part in enumerate(parcel.parts)
        if isinstance(part, np.ndarray) and part.nbytes >= LARGE
    }
    if not large:
        yield
        return
    n_bytes = sum(part.nbytes for part in large.values())
    with scratch(_folder_with_room(n_bytes)) as folder:
        for place, part in large.items():
            file = folder / f"{place}.npy"
            np.save(file, part)
            parcel.parts[place] = np.load(file, mmap_mode="r")
        yield


def _folder_with_room(n_bytes: int) -> Path | None:
    """Return the user's folder, or that in memory if half its free space will do."""
    wanted = os.environ.get("JOBLIB_TEMP_FOLDER")
    if wanted is not None:
        folder = Path(wanted).expanduser()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(
                "JOBLIB_TEMP_FOLDER must be a folder that exists or can be made, got "
                f"{wanted!r} ({error.strerror}). Set it to another, or unset it."
            ) from error
        return folder
    if not os.access(IN_MEMORY, os.W_OK):
        return None
    return IN_MEMORY if shutil.disk_usage(IN_MEMORY).free > 2 * n_bytes else None


def unpacked(sent_parcel: Any) -> Problem:
    """Return the problem that was sent, in a worker."""
    if isinstance(sent_parcel, Parcel):
        return sent_parcel.opened()
    import ray  # what was sent is a place in its store  # noqa: PLC0415

    parcel: Parcel = ray.get(sent_parcel)
    return parcel.opened()
