"""Which rows to hold out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def hold_out(
    groups: NDArray[Any], fraction: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Return a mask that holds out the same `fraction` of the rows of every group.

    At least one row is held out, and at least one row of each group is not.

    Args:
        groups: Label of each row, (rows,).
        fraction: Share of the rows.
        rng: Source of randomness.
    """
    n_rows = len(groups)
    if n_rows < 2:
        raise ValueError(
            f"X must have at least 2 rows, one to hold out, got n_samples={n_rows}."
        )
    shuffled = rng.permutation(n_rows)
    by_group = shuffled[np.argsort(groups[shuffled], kind="stable")]
    _, first_of_group = np.unique(groups[by_group], return_index=True)
    candidates = np.delete(by_group, first_of_group)
    if not candidates.size:
        raise ValueError(
            f"y must have more rows than classes, got {n_rows} rows of as many classes."
        )
    wanted = min(max(1, round(fraction * n_rows)), len(candidates))
    # Candidates at even distances in the order of groups: each group gives its share.
    steps = (np.arange(wanted) + rng.random()) * len(candidates) / wanted
    mask = np.zeros(n_rows, dtype=bool)
    mask[candidates[steps.astype(int)]] = True
    return mask
