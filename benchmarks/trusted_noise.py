"""What a guard does to the noise of a gate, on tables that are not judged.

    python -m benchmarks.trusted_noise     appends to results/choices/trusted_noise.csv

Five random splits with a tenth of the rows to test on, of tables of R and scikit-learn
and of made-up ones: some with rows that are all but exact, some with noise that is a
share of the target. Values are mean negative log-likelihoods of test rows, less that of
one noise for all rows. "free" is the curve alone, "guarded" has a least share of the
constant noise. "drawn" are residuals without a model, for many draws. Rows that are
there already are not run again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from benchmarks.appended import append, done
from benchmarks.inside import PRICES, price
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.model_selection import KFold

from antireg.trusted import noise
from antireg.trusted.answers import Answer, amounts

RESULTS = Path(__file__).parent.parent / "results" / "choices" / "trusted_noise.csv"
FIELDS = ("table", "seed", "model", "noise", "value")
TABLES = ["diabetes", "friedman", "friedman2", "wage", "tuition", "applications"]
TABLES += ["hitters", "diamonds-3000", "salaries", "houses", "computers", "ames"]
TABLES += ["dup-1000-0.01", "dup-4000-0.003", "quiet-500-0.01", "quiet-3000-0.002"]
TABLES += ["quiet-1000-0", "mult-400", "mult-2000", "integer-1000"]
DRAWN = ("gauss", "t2", "exact-0", "exact-.003", "exact-.01", "exact-.03")
DRAWN += ("low-.003", "low-.01")
N_DRAWS = {300: 30, 1000: 30, 4000: 12}
WAGE = {"wage": ("ISLR", "Wage", "wage", None)}
MANY = 1500

Rows = tuple[np.ndarray, np.ndarray]


class Known(NamedTuple):
    """What is said of rows, and what is true."""

    said: Answer
    y: np.ndarray


def made_up(name: str, rng: np.random.Generator) -> Rows:
    """Return rows of a made-up table: its name, rows, and share of wild ones."""
    kind, count, *rest = name.split("-")
    n_rows, rate = int(count), float(rest[0]) if rest else 0.0
    if kind == "dup":  # items measured several times: most agree, few do not
        items = rng.normal(size=(n_rows // 4, 4))
        mean = np.sin(2 * items[:, 0]) + items[:, 1] * items[:, 2]
        mean += 0.5 * rng.normal(size=len(items))
        at = rng.integers(len(items), size=n_rows)
        wild = np.where(rng.random(n_rows) < rate, rng.normal(size=n_rows), 0)
        return items[at], mean[at] + wild
    if kind == "quiet":  # half of the rows have next to no noise
        X = rng.uniform(-1, 1, (n_rows, 3))
        deviation = np.where(X[:, 0] < 0, 1e-3, 1.0)
        y = 2 * X[:, 1] * (X[:, 0] > 0) + deviation * rng.normal(size=n_rows)
        wild = np.where(rng.random(n_rows) < rate, rng.normal(size=n_rows), 0)
        return X, y + wild
    if kind == "mult":  # noise is a share of the target
        X = rng.normal(size=(n_rows, 3))
        mean = np.exp(1.5 * X[:, 0] + 0.5 * X[:, 1])
        return X, mean * np.exp(0.2 * rng.normal(size=n_rows))
    X = rng.integers(0, 4, (n_rows, 4)).astype(float)
    mean = X[:, 0] + 0.7 * X[:, 1] + 0.3 * rng.normal(size=n_rows)
    return X, np.round((mean + (X[:, 2] > 2) * rng.normal(size=n_rows)) / 1.5)


def load(name: str, seed: int) -> tuple[Rows, Rows]:
    """Return rows to fit on, and a tenth to test on."""
    rng = np.random.default_rng(seed)
    if name == "diabetes":
        X, y = load_diabetes(return_X_y=True)
    elif name == "friedman":
        X, y = make_friedman1(500, noise=1.0, random_state=seed)
    elif name == "friedman2":
        X, y = make_friedman2(1000, noise=50.0, random_state=seed)
    elif name in PRICES | WAGE:
        with patch.dict(PRICES, WAGE):
            X, y = price(name, rng)
    else:
        X, y = made_up(name, rng)
    order = rng.permutation(len(y))
    test, train = np.split(order, [max(len(y) // 10, 1)])
    return (X[train], y[train]), (X[test], y[test])


def model(name: str, n_rows: int, seed: int) -> Any:
    """Return an estimator; there are fewer trees for many rows."""
    if name == "boosting":
        return HistGradientBoostingRegressor(random_state=seed)
    n_trees = 100 if n_rows > MANY else 200
    return RandomForestRegressor(n_trees, max_features=1 / 3, random_state=seed)


def answered(table: str, seed: int, kind: str) -> tuple[Known, Known]:
    """Return what folds say of the rows, and what the model says of new ones."""
    (X, y), (new, y_new) = load(table, seed)
    n_folds = 10 if len(y) < 2000 else 5
    values, deviation = np.zeros((2, len(y), 1))
    for known, left in KFold(n_folds, shuffle=True, random_state=seed).split(X):
        copy = model(kind, len(y), seed).fit(X[known], y[known])
        said = amounts(copy, X[left])
        values[left] = said.values
        if said.deviation is not None:
            deviation[left] = said.deviation
    said = amounts(model(kind, len(y), seed).fit(X, y), new)
    own = None if said.deviation is None else deviation
    return Known(Answer(values, own), y), Known(said, y_new)


def drawn(kind: str, n_rows: int, seed: int) -> tuple[Known, Known]:
    """Return the same of residuals that are drawn."""
    rng = np.random.default_rng([seed, n_rows])
    count = n_rows + n_rows // 9
    mean, given = rng.normal(size=count), None
    if kind in ("gauss", "t2"):
        given = np.exp(rng.normal(0, 1.2, count))
        heavy = kind == "t2"
        away = given * (
            rng.standard_t(2, size=count) if heavy else rng.normal(size=count)
        )
    elif kind.startswith("exact"):  # a third is all but exact, and few of these are not
        exact = rng.random(count) < 1 / 3
        quiet = 1e-4 * np.exp(rng.normal(0, 1, count))
        given = np.where(exact, quiet, np.exp(0.5 * rng.normal(size=count)))
        held = exact & (rng.random(count) > float(kind.split("-")[1]))
        loud = np.exp(0.5 * rng.normal(size=count)) * rng.normal(size=count)
        away = np.where(held, given * rng.normal(size=count), loud)
    else:  # low predictions have little noise, but for few rows
        wild = rng.random(count) < float(kind.split("-")[1])
        low = np.where(mean < -0.5, 0.02, 1.0)
        away = np.where(wild, 1.0, low) * rng.normal(size=count)
    own = None if given is None else given[:, None]
    all_rows = Answer(mean[:, None], own)
    parts = slice(0, n_rows), slice(n_rows, count)
    first, rest = (Known(all_rows.at(at), (mean + away)[at]) for at in parts)
    return first, rest


def scored(known: Known, new: Known) -> dict[str, float]:
    """Return how much is lost by each noise over that of all rows."""
    weight, least = np.ones(len(known.y)), np.full(1, 1e-12)
    level = np.square(known.y - known.said.values[:, 0]).mean()
    squared = np.square(new.y - new.said.values[:, 0])

    def lost() -> float:
        found = noise.fit_noise(known.said, known.y[:, None], weight, least)
        ratio = found(new.said)[:, 0] / level
        return float(0.5 * (np.log(ratio) + squared / level * (1 / ratio - 1)).mean())

    guarded = lost()
    with patch.object(noise, "guard_share", lambda gain, n_rows: 0.0):
        return {"free": lost(), "guarded": guarded}


def main() -> None:
    """Run what is missing."""
    known = done(RESULTS, ("table", "seed", "model"))
    wanted = [
        (f"{kind}-{n_rows}", seed, "drawn", drawn, (kind, n_rows, seed))
        for n_rows, n_draws in N_DRAWS.items()
        for kind in DRAWN
        for seed in range(n_draws)
    ]
    wanted += [
        (table, seed, kind, answered, (table, seed, kind))
        for seed in range(5)
        for table in TABLES
        for kind in ("boosting", "forest")
    ]
    for table, seed, kind, make, given in wanted:
        if (table, str(seed), kind) not in known:
            write((table, seed, kind), scored(*make(*given)))


def write(key: tuple[Any, ...], found: dict[str, float]) -> None:
    """Append the rows of one fit."""
    rows = ([*key, name, f"{value:.6g}"] for name, value in found.items())
    append(RESULTS, FIELDS, rows)


if __name__ == "__main__":
    main()
