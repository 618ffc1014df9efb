"""UCI tables with a gap in one column, or cut along their first principal component.

The shifted rows of a gap are the middle third of one column, another for each seed. The
other two cuts are along the direction in which standardised rows vary most: the middle
third of it (interpolation), or the outer sixth at each end (extrapolation).
"""

from __future__ import annotations

from functools import partial

import numpy as np
from benchmarks.leaderboard.task import Array, Task

from antireg.paper.data.split import Rows, Split, cut
from antireg.paper.data.uci_tables import NAMES, uci, uci_gap

SOURCE = "UCI {}, splits of Foong et al. 2019"
DEVELOPMENT = ("energy", "concrete", "kin8nm")
ALONG = ("boston", "power", "wine")
"""Tables that are cut along their first principal component."""


def along(name: str, kind: str, seed: int) -> Split:
    """Return a table whose shifted rows are a third of it, along its main direction.

    Args:
        name: Of the table.
        kind: "inner" for the middle third, "outer" for a sixth at each end.
        seed: Fixes the test rows.
    """
    whole = uci(name, seed=seed)
    parts = (whole.train, whole.validation, whole.test)
    x = np.concatenate([rows.x for rows in parts]).astype(np.float64)
    y = np.concatenate([rows.y for rows in parts if rows.y is not None])
    rows, away = Rows(x, y), shifted(x, kind)
    known = rows[~away]
    test, train = cut(len(known), [0.1], np.random.default_rng(seed))
    ood = {kind: rows[away]}
    return Split(f"{name}_{kind}", known[train], known[:0], known[test], ood)


def shifted(x: Array, kind: str) -> Array:
    """Return which rows are shifted, (rows,), a third of them."""
    spread = x.std(axis=0)
    scaled = (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    _, _, directions = np.linalg.svd(scaled, full_matrices=False)
    rank = np.argsort(np.argsort(scaled @ directions[0], kind="stable")) / len(x)
    inner = (rank >= 1 / 3) & (rank < 2 / 3)
    return inner if kind == "inner" else (rank < 1 / 6) | (rank >= 5 / 6)


TASKS = {
    f"gap-{name}": Task(
        partial(uci_gap, name),
        SOURCE.format(name),
        "CC BY 4.0" if name not in ("boston", "kin8nm") else "none stated",
        "the middle third of a column",
        "gap",
        development=name in DEVELOPMENT,
    )
    for name in NAMES
}
for _name in ALONG:
    for _kind, _words in (("inner", "the middle third"), ("outer", "both ends")):
        TASKS[f"component-{_kind}-{_name}"] = Task(
            partial(along, _name, _kind),
            f"UCI {_name}",
            TASKS[f"gap-{_name}"].licence,
            f"{_words} of the first principal component",
            "gap" if _kind == "inner" else "range",
        )
