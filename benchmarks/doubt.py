"""What doubt does to a deep ensemble, beside DARE, on two development tasks.

    python benchmarks/doubt.py [BIKESHARE.csv]   appends to results/choices/doubt.csv

The first task is a gap of UCI energy, with the data of `antireg.paper.data`. The second
needs Bikeshare.csv of the book ISLP: trained on winter and autumn, shifted to summer.
Rows already there are not run again.
"""

from __future__ import annotations

import csv
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from antireg import EnsembleRegressor, metrics
from antireg.paper.data.split import cut
from antireg.paper.data.uci_tables import uci

RESULTS = Path(__file__).parent.parent / "results" / "choices" / "doubt.csv"
FIELDS = ("task", "seed", "method", "doubt", "metric", "value")
FITS = (("deep_ensemble", None), ("deep_ensemble", "rehearsed"), ("dare", None))
COLUMNS = ["hr", "holiday", "weekday", "workingday", "weathersit"]
COLUMNS += ["temp", "atemp", "hum", "windspeed"]


def energy(seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return rows to train on, held-out, familiar and shifted ones."""
    split = uci("energy", split="gap", index=0, seed=seed)
    (shifted,) = split.ood.values()
    parts = split.train, split.validation, split.test, shifted
    return [(np.asarray(rows.x, float), np.asarray(rows.y, float)) for rows in parts]


def bike(seed: int, path: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return rows to train on, held-out, familiar and shifted ones."""
    table = pd.read_csv(path)
    x = pd.get_dummies(table[COLUMNS], columns=["weathersit"]).to_numpy(float)
    y, season = table["bikers"].to_numpy(float), table["season"].to_numpy()
    known, shifted = (
        np.flatnonzero(np.isin(season, [1, 4])),
        np.flatnonzero(season == 3),
    )
    test, held_out, train = cut(len(known), [0.1, 0.1], np.random.default_rng(seed))
    parts = known[train], known[held_out], known[test], shifted
    return [(x[rows], y[rows]) for rows in parts]


def run(
    parts: list[tuple[np.ndarray, np.ndarray]],
    method: str,
    doubt: str | None,
    seed: int,
) -> Iterator[tuple[str, float]]:
    """Yield (metric, value) of one fit."""
    train, held_out, *both = parts
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = EnsembleRegressor(method, doubt=doubt, random_state=seed)
        model.fit(*train, validation_data=held_out)
    yield "cpu_seconds", time.process_time() - started
    for name, (x, y) in zip(("in", "out"), both, strict=True):
        mean, std = model.predict(x, return_std=True)
        yield f"nll_{name}", metrics.gaussian_nll(y, mean, std)
        yield f"ece_{name}", metrics.regression_ece(y, mean, std)
        yield f"coverage90_{name}", metrics.coverage(y, *model.predict_interval(x))
        yield f"flagged_{name}", float(model.is_ood(x).mean())
        yield f"doubt_{name}", float(model.predict_doubt(x).mean())
    yield "auroc", metrics.auroc(*(model.ood_score(x) for x, _ in both))


def main() -> None:
    """Run what is missing."""
    torch.set_num_threads(1)
    tasks = {"energy-gap": energy(0)}
    if len(sys.argv) > 1:
        tasks["bike"] = bike(0, sys.argv[1])
    done = set()
    if RESULTS.exists():
        with RESULTS.open(newline="") as rows:
            done = {(r["task"], r["method"], r["doubt"]) for r in csv.DictReader(rows)}
    for task, parts in tasks.items():
        for method, doubt in FITS:
            if (task, method, doubt or "") in done:
                continue
            values = list(run(parts, method, doubt, seed=0))
            new = not RESULTS.exists()
            with RESULTS.open("a", newline="") as rows:
                writer = csv.writer(rows, lineterminator="\n")
                if new:
                    writer.writerow(FIELDS)
                for metric, value in values:
                    writer.writerow([task, 0, method, doubt, metric, f"{value:.6g}"])


if __name__ == "__main__":
    main()
