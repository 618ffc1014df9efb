"""Whether small tables keep their promises: false-alarm rates and intervals.

    python benchmarks/calibration.py    adds to results/choices/calibration.csv

Fits tables of few rows and looks at fresh rows of the same kind. "before" is what the
same model would do with its held-out rows alone: the threshold from their scores, and
the intervals of the mixture as they are. What rows left out say was chosen on the
tables of `CHOICE`, and judged on those of `JUDGEMENT`.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.datasets import load_diabetes, load_digits, make_friedman1

from antireg import EnsembleClassifier, EnsembleRegressor, metrics
from antireg.familiarity import detection
from antireg.paper.data.where import need

RESULTS = Path(__file__).parent.parent / "results" / "choices" / "calibration.csv"
COLUMNS = ("table", "method", "rows", "steps", "seed", "metric", "value")
RATE = 0.05
MOST_FRESH = 4000
FEWEST_FRESH = 200
CHOICE = ["kin8nm", "friedman", "concrete", "digits"]
JUDGEMENT = ["power", "protein", "energy", "wine", "diabetes"]


def table_of(name: str) -> tuple[Any, Any]:
    """Return all rows of a table."""
    if name == "digits":
        return load_digits(return_X_y=True)
    if name == "diabetes":
        return load_diabetes(return_X_y=True)
    if name == "friedman":
        return make_friedman1(6000, noise=1.0, random_state=0)
    with np.load(need(f"uci/{name}.npz", "See antireg.paper.data.uci.")) as file:
        return file["X"], file["y"]


def found_in(
    name: str, method: str, n_rows: int, steps: int, seed: int
) -> dict[str, float]:
    """Return how one fit keeps its promises on fresh rows."""
    X, y = table_of(name)
    order = np.random.default_rng([seed, n_rows]).permutation(len(y))
    known, fresh = order[:n_rows], order[n_rows : n_rows + MOST_FRESH]
    kind = EnsembleClassifier if name == "digits" else EnsembleRegressor
    model = kind(method, steps=steps, random_state=seed, false_alarm_rate=RATE)
    started = time.perf_counter()
    model.fit(X[known], y[known])
    seconds = time.perf_counter() - started
    held_out = model.ood_score(X[known][model.held_out_rows_])
    scores = model.ood_score(X[fresh])
    found = {
        "rate": model.is_ood(X[fresh]).mean(),
        "rate before": (scores > detection.threshold(held_out, RATE)).mean(),
        "seconds": seconds,
        "seconds before": sum(trial.seconds for _, trial in model.trials_),
    }
    if isinstance(model, EnsembleRegressor):
        mixture = model.predictive(X[fresh])
        for coverage in (0.5, 0.9, 0.99):
            ends = model.predict_interval(X[fresh], coverage)
            before = (end[:, 0] for end in mixture.interval(coverage))
            found[f"coverage {coverage}"] = metrics.coverage(y[fresh], *ends)
            found[f"coverage {coverage} before"] = metrics.coverage(y[fresh], *before)
    return found


def wanted(args: argparse.Namespace) -> Iterator[tuple[str, str, int, int, int]]:
    """Yield what to fit, every seed of it in turn."""
    for seed in range(args.seeds):
        for n_rows in args.rows:
            for name in args.tables:
                for method in args.methods:
                    yield name, method, n_rows, args.steps, seed


def main() -> None:
    """Measure what is not in the file yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--rows", type=int, nargs="+", default=[100, 200, 500])
    parser.add_argument("--tables", nargs="+", default=[*JUDGEMENT, *CHOICE])
    parser.add_argument("--methods", nargs="+", default=["dare", "deep_ensemble"])
    args = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    if not RESULTS.exists():
        RESULTS.write_text(",".join(COLUMNS) + "\n")
    with RESULTS.open() as file:
        done = {tuple(row[:5]) for row in csv.reader(file)}
    for fit in wanted(args):
        few = len(table_of(fit[0])[1]) < fit[2] + FEWEST_FRESH
        if few or tuple(map(str, fit)) in done:
            continue
        found = found_in(*fit)
        with RESULTS.open("a", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([*fit, name, f"{v:.4f}"] for name, v in found.items())
        print(*fit, {name: round(float(v), 3) for name, v in found.items()}, flush=True)


if __name__ == "__main__":
    main()
