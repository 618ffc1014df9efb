"""When a deep ensemble has learned: how soon training may end, and what that costs.

    python benchmarks/patience.py [BIKESHARE.csv WAGE.csv]

adds what is missing to results/choices/patience.csv. The two files are of the book
ISLP. A fifth of each table is for testing, and of the made one all but 500 rows.
`patience` is in steps here, three epochs at least.
"""

from __future__ import annotations

import csv
import io
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from sklearn.datasets import load_digits

from antireg import EnsembleClassifier, EnsembleRegressor, metrics
from antireg.disk.atomic import write_whole
from antireg.paper.data import uci

RESULTS = Path(__file__).parent.parent / "results" / "choices" / "patience.csv"
BIKE = ["hr", "holiday", "weekday", "workingday", "weathersit"]
BIKE += ["temp", "atemp", "hum", "windspeed"]
WAGE = ["year", "age", "maritl", "race", "education"]
WAGE += ["jobclass", "health", "health_ins"]
MADE = "made, 500 rows"
Table = tuple[np.ndarray, np.ndarray]


def tables(*files: str) -> Iterator[tuple[str, Table]]:
    """Yield the development tables by name."""
    for name in ("energy", "concrete", "kin8nm"):
        split = uci(name, "standard", index=0, seed=0)
        parts = (split.train, split.validation, split.test)
        x = np.concatenate([np.asarray(part.x, float) for part in parts])
        yield name, (x, np.concatenate([np.ravel(part.y) for part in parts]))
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2_500, 10))
    y = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.5 * x[:, 3] ** 2
    yield MADE, (x, y + 0.3 * rng.normal(size=len(x)))
    yield "digits", load_digits(return_X_y=True)
    for name, file, columns, target in zip(
        ("bike", "wage"), files, (BIKE, WAGE), ("bikers", "wage"), strict=False
    ):
        rows = pd.read_csv(file)
        words = [c for c in columns if rows[c].dtype == object] + ["weathersit"]
        x = pd.get_dummies(rows[columns], columns=[c for c in words if c in columns])
        yield name, (x.to_numpy(float), rows[target].to_numpy(float))


def run(table: Table, n_tests: int, steps: int | None, seed: int) -> dict[str, float]:
    """Return how a deep ensemble fares with a patience of so many steps."""
    x, y = table
    order = np.random.default_rng(seed).permutation(len(x))
    test, train = np.split(order, [n_tests])
    classes = y.dtype.kind == "i"
    n_rows = len(train) - round(len(train) / 10)
    per_epoch = -(-n_rows // (32 if n_rows < 2000 else 128))
    patience = None if steps is None else max(3, -(-steps // per_epoch))
    estimator = EnsembleClassifier if classes else EnsembleRegressor
    model = estimator("deep_ensemble", patience=patience, random_state=seed)
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(x[train], y[train])
    found = {
        "cpu_seconds": time.process_time() - started,
        "steps": model.history_.n_epochs * per_epoch,
    }
    if classes:
        said = model.predict_proba(x[test])
        return found | {"loss": metrics.class_nll(y[test], said)}
    return found | {"loss": metrics.rmse(y[test], model.predict(x[test]))}


def main() -> None:
    """Run what is missing; "loss" is the RMSE, or the log loss of classes."""
    torch.set_num_threads(1)
    rows: list[list[str]] = []
    if RESULTS.exists():
        rows = list(csv.reader(RESULTS.read_text().splitlines()[1:]))
    done = {tuple(row[:3]) for row in rows}
    for name, table in tables(*sys.argv[1:]):
        n_tests = 2_000 if name == MADE else len(table[1]) // 5
        for seed in (0, 1):
            for steps in (100, 200, 400, None):
                key = (name, str(seed), str(steps or "none"))
                if key in done:
                    continue
                found = run(table, n_tests, steps, seed)
                rows += [[*key, m, f"{value:.5g}"] for m, value in found.items()]
                text = io.StringIO()
                writer = csv.writer(text, lineterminator="\n")
                writer.writerow(["table", "seed", "patience", "metric", "value"])
                writer.writerows(rows)
                write_whole(RESULTS, text.getvalue().encode())


if __name__ == "__main__":
    main()
