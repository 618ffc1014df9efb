"""The bins of columns, as arrays of a stored model and back, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from antireg.networks import MLPStack, Stack
from antireg.networks.bins import Bins
from antireg.storage.array_file import Arrays
from antireg.storage.fields import Fields

MOST = 10_000
"""Most inputs that a column may become."""


def bin_arrays(network: Stack) -> dict[str, NDArray[Any]]:
    """Return what columns become, by name; nothing if they stay as they are."""
    if not isinstance(network, MLPStack) or network.bins is None:
        return {}
    column, *rest = (values.cpu().numpy() for values in network.bins.tensors)
    return {"bin_columns": column, "bin_numbers": np.stack(rest)}


def bins_from(fields: Fields, arrays: Arrays, n_columns: int) -> Bins | None:
    """Return what columns become, None if they stay as they are.

    Args:
        fields: The description.
        arrays: Those of bins are taken.
        n_columns: How many there are.
    """
    if not arrays.has("bin_columns"):
        return None
    lengths = range(n_columns, MOST * n_columns + 1)
    column = arrays.take("bin_columns", np.int64, (lengths,))
    if np.any(np.unique(column) != np.arange(n_columns)):
        raise fields.wrong("bin_columns", f"must name all of {n_columns} columns")
    numbers = arrays.take("bin_numbers", np.float32, (4, len(column)))
    if np.any(numbers[2] > numbers[3]):
        raise fields.wrong("bin_numbers", "must hold the lower limits first")
    return Bins(torch.from_numpy(column), *map(torch.from_numpy, numbers.copy()))
