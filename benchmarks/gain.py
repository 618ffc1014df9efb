"""How much validation rows must gain before an epoch of a classifier counts as better.

    python benchmarks/gain.py

adds what is missing to results/choices/gain.csv: default classifiers of small tables,
three tenths of the rows for testing. Far rows are drawn with twice the deviations of
the test rows, each column by itself.
"""

from __future__ import annotations

import csv
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_moons,
)
from sklearn.model_selection import train_test_split

from antireg import EnsembleClassifier, metrics
from antireg.losses import CrossEntropy

RESULTS = Path(__file__).parent.parent / "results" / "choices" / "gain.csv"
GAINS = (0.0, 0.1, 0.3, 1.0)
SEEDS = (0, 1)
Table = tuple[np.ndarray, np.ndarray]


def tables() -> Iterator[tuple[str, Table]]:
    """Yield tables of 150 to 569 rows by name."""
    for load in (load_iris, load_wine, load_breast_cancer):
        yield load.__name__.removeprefix("load_"), load(return_X_y=True)
    yield "moons", make_moons(400, noise=0.15, random_state=3)
    x, y = load_digits(return_X_y=True)
    yield "digits, 500 rows", (x[:500], y[:500])


def run(table: Table, seed: int) -> Iterator[tuple[str, float]]:
    """Yield metric and value of one fit."""
    x, test, y, labels = train_test_split(
        *table, test_size=0.3, random_state=seed, stratify=table[1]
    )
    rng = np.random.default_rng(seed)
    far = test.mean(0) + 2 * test.std(0) * rng.normal(size=test.shape)
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = EnsembleClassifier(random_state=seed).fit(x, y)
    yield "cpu_seconds", time.process_time() - started
    yield "log_loss", metrics.class_nll(labels, model.predict_proba(test))
    yield "accuracy", float(np.mean(model.predict(test) == labels))
    yield "auroc", metrics.auroc(model.ood_score(test), model.ood_score(far))
    yield "flagged", float(model.is_ood(test).mean())


def main() -> None:
    """Run what is missing."""
    torch.set_num_threads(1)
    fields = ("table", "seed", "gain", "metric", "value")
    done = set()
    if RESULTS.exists():
        with RESULTS.open(newline="") as rows:
            done = {tuple(row[:3]) for row in csv.reader(rows)}
    else:
        RESULTS.write_text(",".join(fields) + "\n")
    for seed in SEEDS:
        for name, table in tables():
            for gain in GAINS:
                key = (name, str(seed), f"{gain:g}")
                if key in done:
                    continue
                CrossEntropy.gain = gain
                found = list(run(table, seed))
                with RESULTS.open("a", newline="") as rows:
                    writer = csv.writer(rows, lineterminator="\n")
                    writer.writerows([*key, m, f"{value:.5g}"] for m, value in found)


if __name__ == "__main__":
    main()
