"""Rows in blocks of one size, so that a stream does not depend on its pieces.

The last bits of a matrix product depend on its shape. So blocks always have as many
rows, some of them more than once if need be.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

BLOCK = 64


def blocks(n_rows: int) -> Iterator[NDArray[np.intp]]:
    """Yield indices of rows, (`BLOCK`,) each; the last row is repeated at the end."""
    for first in range(0, n_rows, BLOCK):
        yield np.minimum(np.arange(first, first + BLOCK), n_rows - 1)
