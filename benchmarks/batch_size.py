"""Whether small tables want small batches: DARE at the same number of steps.

python benchmarks/batch_size.py      writes results/choices/batch_size.csv
"""

from __future__ import annotations

import csv
import io
import warnings
from pathlib import Path

import numpy as np
import torch

from antireg import EnsembleRegressor, metrics
from antireg.disk.atomic import write_whole
from antireg.paper.data import uci

RESULTS = Path(__file__).parent.parent / "results" / "choices" / "batch_size.csv"


def rows_of(name: str, batch_size: int, seed: int) -> list[list[object]]:
    """Return how a default DARE fares on a standard split with this batch size."""
    split = uci(name, "standard", index=seed, seed=seed)
    model = EnsembleRegressor(batch_size=batch_size, patience=None, random_state=seed)
    held_out = (split.validation.x, split.validation.y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(split.train.x, split.train.y, validation_data=held_out)
    mean, std = model.predict(split.test.x, return_std=True)
    history = model.history_
    found = {
        "nll": metrics.gaussian_nll(split.test.y, mean, std),
        "rmse": metrics.rmse(split.test.y, mean),
        "control_end": history.control[-1].mean(),
        "kept_share": np.median(history.kept) / history.n_epochs,
        "seconds": sum(trial.seconds for _, trial in model.trials_),
    }
    return [[name, batch_size, seed, m, f"{v:.4f}"] for m, v in found.items()]


def main() -> None:
    """Try both sizes on small tables."""
    torch.set_num_threads(1)
    rows = []
    for name in ("concrete", "energy", "boston", "wine"):
        for seed in (0, 1):
            for batch_size in (32, 128):
                rows += rows_of(name, batch_size, seed)
                print(*rows[-5:], sep="\n", flush=True)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["task", "batch_size", "seed", "metric", "value"])
    writer.writerows(rows)
    write_whole(RESULTS, text.getvalue().encode())


if __name__ == "__main__":
    main()
