"""What a fit costs, by a model of few numbers that is checked against measurements.

A step of m members with w weights each on batches of b rows takes

    seconds = start + m · w · (per_weight + b · per_product)

of one processor. A fit is that times steps and trainings (two for DARE), over the
workers it is split among, plus their start and the rows sent to them. The numbers are
fitted to some sizes and checked on others. Processor seconds are used throughout, so
that others on the machine do not count; on a quiet one they are the time on the wall.

    python benchmarks/scale.py              # results/bench/scale.csv, scale_model.csv
    python benchmarks/scale.py extrapolate  # from them, scale_extrapolated.csv
"""

from __future__ import annotations

import csv
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import joblib
import numpy as np
import psutil
import torch
from joblib.externals.loky import get_reusable_executor

from antireg import EnsembleRegressor
from antireg.training.groups import groups

OUT = Path(__file__).parent.parent / "results" / "bench"
FIELDS = ("measure", "engine", "workers", "members", "rows", "features", "hidden",
          "batch", "steps", "value", "predicted", "unit")  # fmt: skip

# members, rows, features, hidden units of each of three layers, batch; fitted first.
FITTED = [
    (1, 6400, 8, 100, 128), (5, 6400, 8, 100, 128), (20, 3200, 8, 100, 32),
    (1, 6400, 512, 100, 128), (5, 6400, 512, 100, 128), (5, 6400, 64, 200, 512),
]  # fmt: skip
CHECKED = [
    (3, 6400, 32, 100, 64), (10, 6400, 100, 100, 128), (2, 25600, 256, 100, 128),
    (8, 6400, 16, 50, 128), (5, 6400, 1024, 100, 128),
]  # fmt: skip

EPOCHS = 10
"""Enough for what a fit does once to count little."""

TURNS = 5
"""Times that a size is measured; the quickest counts."""


def rows_of(n_rows: int, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a table as float32, which is what is sent."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_features)).astype(np.float32)
    return X, X[:, 0] + rng.normal(size=n_rows)


def model(members: int, hidden: int, batch: int, **more) -> EnsembleRegressor:
    """Return an ensemble that takes one epoch per training."""
    settings = {"epochs": 1, "random_state": 0, "doubt": None} | more
    return EnsembleRegressor(
        n_members=members, hidden=(hidden,) * 3, batch_size=batch, **settings
    )


def n_weights(n_features: int, hidden: int) -> int:
    """Return the weights of a member."""
    return (n_features + 1) * hidden + 2 * (hidden + 1) * hidden + 2 * (hidden + 1)


def training_seconds(size: tuple[int, ...]) -> tuple[float, int]:
    """Return processor seconds of a step, and how many there were."""
    members, n_rows, n_features, hidden, batch = size
    fitted = model(members, hidden, batch, epochs=EPOCHS)
    X, y = rows_of(n_rows, n_features)
    started = time.process_time()
    fitted.fit(X, y)
    spent = time.process_time() - started
    steps = EPOCHS * -(-(n_rows - n_rows // 10) // batch) * len(fitted.trials_)
    return spent / steps, steps


def terms(size: tuple[int, ...]) -> list[float]:
    """Return what each number of the model is multiplied by."""
    members, _, n_features, hidden, batch = size
    weights = members * n_weights(n_features, hidden)
    return [1.0, weights, weights * batch]


def steps_rows() -> tuple[list[dict], np.ndarray]:
    """Return rows of measured and predicted seconds per step, and the model."""
    # In turn, so that a busy minute of the machine does not fall on one size.
    sizes = FITTED + CHECKED
    turns = [[training_seconds(size) for size in sizes] for _ in range(TURNS)]
    measured = {size: min(turn[k] for turn in turns) for k, size in enumerate(sizes)}
    left = np.array([terms(size) for size in FITTED])
    right = np.array([measured[size][0] for size in FITTED])
    # By relative error, so that small steps count as much as large ones; none below 0.
    from scipy.optimize import nnls  # noqa: PLC0415

    scale = left.max(0)
    numbers = nnls(left / scale / right[:, None], np.ones(len(right)))[0] / scale
    rows = []
    for size in sizes:
        seconds, steps = measured[size]
        names = ("members", "rows", "features", "hidden", "batch")
        rows.append(
            dict(zip(names, size, strict=True))
            | {"measure": "fitted" if size in FITTED else "checked", "engine": "none",
               "workers": 1, "steps": steps, "value": seconds,
               "predicted": float(np.dot(terms(size), numbers)), "unit": "s/step"}
        )  # fmt: skip
    return rows, numbers


def start_rows() -> list[dict]:
    """Return what a worker takes before it can train: of a processor, and of memory."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # What it has now: its peak would count what it was forked from.
    script = """import psutil, antireg.parallel.workers
print(psutil.Process().memory_info().rss)"""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [
        {"measure": "start", "value": seconds, "unit": "s/worker"},
        {"measure": "memory", "value": int(done.stdout), "unit": "B/worker"},
    ]


def loky_rows(n_rows: int, n_features: int) -> list[dict]:
    """Return the bytes that this process writes in a fit with two processes."""
    X, y = rows_of(n_rows, n_features)
    small = model(4, 8, 4096, n_jobs=2)
    small.fit(X[:100], y[:100])
    before = psutil.Process().io_counters().write_chars
    small.fit(X, y)
    written = psutil.Process().io_counters().write_chars - before
    get_reusable_executor().shutdown()
    size = 4 * (X.size + len(y))
    return [{"measure": "bytes", "engine": "loky", "workers": 2, "members": 4,
             "rows": n_rows, "features": n_features, "value": written,
             "predicted": size, "unit": "B/fit"}]  # fmt: skip


def dask_rows(n_workers: int, n_rows: int, n_features: int) -> list[dict]:
    """Return the bytes that go over the network in a fit on a cluster."""
    from distributed import Client, LocalCluster  # noqa: PLC0415

    X, y = rows_of(n_rows, n_features)
    with (
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        Client(cluster),
        joblib.parallel_config("dask"),
    ):
        small = model(4, 8, 4096)
        small.fit(X[:100], y[:100])
        before = psutil.net_io_counters(pernic=True)["lo"].bytes_recv
        small.fit(X, y)
        moved = psutil.net_io_counters(pernic=True)["lo"].bytes_recv - before
    size = 4 * (X.size + len(y))
    return [{"measure": "bytes", "engine": "dask", "workers": n_workers, "members": 4,
             "rows": n_rows, "features": n_features, "value": moved,
             "predicted": (n_workers + 1) * size, "unit": "B/fit"}]  # fmt: skip


# members, rows, features, batch, epochs, workers: what is too large to be run here.
LARGE = [
    *((1000, 100_000, 50, 128, 10, workers) for workers in (1, 2, 10, 100)),
    *((10, 100_000_000, 50, 1024, 1, workers) for workers in (1, 2, 10)),
    *((1000, 100_000_000, 50, 1024, 1, workers) for workers in (10, 100, 1000)),
]


def extrapolate() -> None:
    """Write what DARE would take, of one processor per worker, and what is sent."""
    with (OUT / "scale_model.csv").open() as file:
        numbers = [float(row["seconds"]) for row in csv.DictReader(file)]
    names = ("members", "rows", "features", "batch", "epochs", "workers")
    rows = []
    for size in LARGE:
        members, n_rows, n_features, batch, epochs, workers = size
        steps = 2 * epochs * -(-n_rows * 9 // 10 // batch)
        found = groups(members, n_weights(n_features, 100), batch)
        # The busiest worker trains as many of the larger groups as anyone.
        trained = -(-len(found) // workers)
        group = (len(found[0]), n_rows, n_features, 100, batch)
        seconds = trained * steps * np.dot(terms(group), numbers)
        sent = (workers + 1) * 4 * n_rows * (n_features + 1) if workers > 1 else 0
        rows.append(
            dict(zip(names, size, strict=True))
            | {
                "training_seconds": round(seconds, 1),
                "sent_gigabytes": round(sent / 1e9, 2),
            }
        )
        print(rows[-1])
    with (OUT / "scale_extrapolated.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    """Measure, fit, check and write."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    rows, numbers = steps_rows()
    rows += loky_rows(100_000, 50)
    for n_workers, n_rows in ((2, 100_000), (3, 100_000), (2, 400_000)):
        rows += dask_rows(n_workers, n_rows, 50)
    rows += start_rows()
    OUT.mkdir(parents=True, exist_ok=True)
    with (OUT / "scale.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(rows)
    named = zip(("start", "per_weight", "per_product"), numbers, strict=True)
    with (OUT / "scale_model.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("number", "seconds"), *named])
    for row in rows:
        print({k: v for k, v in row.items() if k != "unit"}, row["unit"])
    print(
        dict(zip(("start", "per_weight", "per_product"), numbers.tolist(), strict=True))
    )
    print("load", os.getloadavg())


if __name__ == "__main__":
    extrapolate() if sys.argv[1:] == ["extrapolate"] else main()
