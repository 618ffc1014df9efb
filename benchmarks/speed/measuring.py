"""Times of everyone in turn, and what this machine could do at best.

On one core it is the processor's time that counts, which other programs hardly change;
on two it is the clock's, since processes and threads wait for each other.
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch
from benchmarks.speed import ours
from benchmarks.speed.contestants import OURS, Contestant, on_cores
from benchmarks.speed.sizes import Size

Row = dict[str, Any]
PEAK_SIDE = 2048


def seconds(
    run: Callable[..., Any], *given: Any, cores: int = 1, **named: Any
) -> tuple[float, Any]:
    """Return how long a call takes, and what it returns."""
    clock = time.process_time if cores == 1 else time.perf_counter
    gc.collect()
    started = clock()
    result = run(*given, **named)
    return clock() - started, result


def peak(cores: int) -> float:
    """Return the operations per second of a large single-precision product."""
    left, right = (torch.randn(PEAK_SIDE, PEAK_SIDE) for _ in range(2))
    out = left @ right
    with on_cores(cores):
        calls = (seconds(torch.mm, left, right, cores=cores, out=out) for _ in range(5))
        best = min(spent for spent, _ in calls)
    return float(2 * PEAK_SIDE**3 / best)


def measured(size: Size, everyone: Iterable[Contestant], repeats: int) -> list[Row]:
    """Return the best time of everyone, in turn, to train and to predict."""
    data, validation = size.draw(size.rows, 0), size.draw(size.rows // 10, 1)
    new = size.draw(size.predicted, 2).x
    times: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    epochs: dict[int, float] = {}
    trained: dict[tuple[str, int], Any] = {}
    peaks: dict[int, float] = defaultdict(float)
    for _ in range(repeats):
        for name, cores, train, _ in everyone:
            if name == OURS:
                peaks[cores] = max(peaks[cores], peak(cores))
            with on_cores(cores):
                spent, model = seconds(train, size, data, validation, cores=cores)
            if name == OURS and spent < min(times["train", name, cores], default=9e9):
                epochs[cores] = model.history_.seconds
            times["train", name, cores].append(spent)
            trained[name, cores] = model
    for _ in range(min(repeats, 2)):
        for name, cores, _, predict in everyone:
            with on_cores(cores):
                spent, _ = seconds(predict, trained[name, cores], new, cores=cores)
            times["predict", name, cores].append(spent)
    rows = []
    for (task, name, cores), spent in times.items():
        row: Row = {"size": size.name, "task": task, "contestant": name}
        row |= {"cores": cores, "seconds": min(spent)}
        row["times_ours"] = min(spent) / min(times[task, OURS, cores])
        row["rows"] = size.predicted if task == "predict" else size.rows
        if task == "train":
            row["steps"] = size.steps
            row["ms_per_step"] = 1e3 * min(spent) / size.steps
            row["share_of_peak"] = size.flops / min(spent) / peaks[cores]
            row["needed_share"] = size.needed_flops / min(spent) / peaks[cores]
            row["peak_gflops"] = peaks[cores] / 1e9
        if (task, name) == ("train", OURS) and cores > 1:
            row["outside_epochs"] = min(spent) - epochs[cores]
        rows.append(row)
    return rows


def extras(size: Size, repeats: int) -> list[Row]:
    """Return what a fit costs beside: its checkpoint on disk, in turn with none."""
    data, validation = size.draw(size.rows, 0), size.draw(size.rows // 10, 1)
    without, with_file = [], []
    for _ in range(repeats):
        without.append(seconds(ours.train, size, data, validation, cores=2)[0])
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "c"
            spent, _ = seconds(
                ours.train, size, data, validation, cores=2, checkpoint=file
            )
        with_file.append(spent)
    row = {"size": size.name, "task": "checkpoint", "contestant": OURS, "cores": 2}
    row |= {"seconds": min(with_file), "rows": size.rows, "steps": size.steps}
    return [row | {"times_ours": min(with_file) / min(without)}]


def start_up() -> list[Row]:
    """Return how long two workers take to come up, from nothing."""
    size = Size("start-up", 2, (2, 4, 1), 32, 320, 1, 320, 2)
    data, validation = size.draw(size.rows, 0), size.draw(size.rows // 10, 1)
    rows = []
    for task, cores in (("alone", 1), ("two workers", 2), ("two workers again", 2)):
        spent, _ = seconds(ours.train, size, data, validation, cores=2, n_jobs=cores)
        row = {"size": size.name, "task": task, "contestant": OURS, "cores": 2}
        rows.append(row | {"seconds": spent, "rows": size.rows, "steps": size.steps})
    return rows
