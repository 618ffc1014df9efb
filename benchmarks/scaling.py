"""Which scaling of the inputs should be the default: a deep ensemble and DARE on each.

    python benchmarks/scaling.py [TASK ...]     appends to results/choices/scaling.csv

Rows already there are not run again. Needs the data of `antireg.paper.data`.
"""

from __future__ import annotations

import csv
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from antireg import DARE, DeepEnsemble, EnsembleClassifier, EnsembleRegressor, metrics
from antireg.paper.data.citycam_splits import citycam
from antireg.paper.data.images import cifar10_features, fashion_mnist
from antireg.paper.data.split import Split
from antireg.paper.data.uci_tables import uci
from antireg.rows.scaling import SCALINGS

RESULTS = Path(__file__).parent.parent / "results" / "choices" / "scaling.csv"
FIELDS = ("task", "seed", "scaling", "method", "metric", "value")
UCI = ("concrete", "energy", "yacht", "wine", "boston", "power")
TASKS = [
    *(f"{name}-gap" for name in UCI),
    "citycam-weather",
    "cifar10",
    "fashion-mnist",
    "citycam-bigbus",
    "citycam-cameras",
]
SEEDS = (0, 1)


def load(task: str, seed: int) -> Split:
    """Return the split of a task; a UCI seed is also the feature of the gap."""
    if task.endswith("-gap"):
        return uci(task.removesuffix("-gap"), split="gap", index=seed, seed=seed)
    if task.startswith("citycam-"):
        return citycam(task.removeprefix("citycam-"), seed)
    return fashion_mnist(seed) if task == "fashion-mnist" else cifar10_features(seed)


def run(split: Split, scaling: str, seed: int) -> Iterator[tuple[str, str, float]]:
    """Yield (method, metric, value) of both methods."""
    classes = np.issubdtype(split.train.y.dtype, np.integer)
    threshold = None
    for loss in ("cross_entropy", "squared_error") if classes else ("gaussian_nll",):
        model = _fit(DeepEnsemble(), split, scaling, seed, loss, classes)
        name = f"deep_ensemble ({loss})"
        yield from ((name, m, v) for m, v in _measure(model, split, classes))
        reference = float(model.history_.kept_validation_loss.mean())
        threshold = reference + 0.25 * abs(reference)
    model = _fit(DARE(threshold), split, scaling, seed, loss, classes)
    yield from (("dare", m, v) for m, v in _measure(model, split, classes))


def _fit(method, split, scaling, seed, loss, classes):
    make = EnsembleClassifier if classes else EnsembleRegressor
    model = make(method, loss=loss, scaling=scaling, random_state=seed)
    held_out = (split.validation.x, split.validation.y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(split.train.x, split.train.y, validation_data=held_out)


def _measure(model, split, classes):
    history = model.history_
    yield "control_end", history.control[-1].mean()
    yield "weight_end", history.weight[-1].mean()
    yield "kept_share", np.median(history.kept) / history.n_epochs
    yield "seconds", history.seconds
    inside = model.ood_score(split.test.x)
    for name, rows in split.ood.items():
        yield f"auroc {name}", metrics.auroc(inside, model.ood_score(rows.x))
    yield "false_alarms", float(model.is_ood(split.test.x).mean())
    if classes:
        yield "accuracy", metrics.accuracy(split.test.y, model.predict(split.test.x))
        return
    for name, rows in {"in": split.test, **split.ood}.items():
        mean, std = model.predict(rows.x, return_std=True)
        yield f"nll {name}", metrics.gaussian_nll(rows.y, mean, std)
        yield f"ece {name}", metrics.regression_ece(rows.y, mean, std)
        yield f"rmse {name}", metrics.rmse(rows.y, mean)


def main() -> None:
    """Run what is not there yet."""
    torch.set_num_threads(1)
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    done = set()
    if RESULTS.exists():
        with RESULTS.open() as file:
            done = {(r["task"], r["seed"], r["scaling"]) for r in csv.DictReader(file)}
    for seed in SEEDS:
        for task in sys.argv[1:] or TASKS:
            split = load(task, seed)
            for scaling in SCALINGS:
                key = (task, str(seed), scaling)
                if key in done:
                    continue
                rows = [(*key, *row) for row in run(split, scaling, seed)]
                new = not RESULTS.exists()
                with RESULTS.open("a", newline="") as file:
                    writer = csv.writer(file, lineterminator="\n")
                    if new:
                        writer.writerow(FIELDS)
                    writer.writerows(rows)
                print(*key, *(f"{m} {k}={v:.3g}" for *_, m, k, v in rows), flush=True)


if __name__ == "__main__":
    main()
