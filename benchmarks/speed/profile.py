"""Where the time of a fit goes, part by part, on one core.

    make bench-profile      prints shares; writes results/bench/profile.csv

Parts are timed by the processor time of their thread, which other programs on the
machine hardly change. The first layers of the library are wrapped from outside for it.
"""

from __future__ import annotations

import functools
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any

from benchmarks.speed import ours
from benchmarks.speed.contestants import OURS, on_cores
from benchmarks.speed.keeping import RESULTS, processor, write
from benchmarks.speed.sizes import SIZES, Size

from antireg.losses import Loss
from antireg.networks.mlp_tape import MLPTape
from antireg.rows.data import Batches
from antireg.training import epoch
from antireg.training.adam import Adam
from antireg.training.loop import Trainer
from antireg.training.state import State

PARTS = {
    "order of rows": (State, "order"),
    "gather": (Batches, "take"),
    "forward": (MLPTape, "forward"),
    "loss and its gradient": (Loss, "with_gradient"),
    "backward": (MLPTape, "backward"),
    "Adam and penalty": (Adam, "step"),
    "validation": (epoch, "evaluate"),
    "keeping an epoch": (State, "keep"),
    "rest of the loop": (Trainer, "__call__"),
    "outside the loop": (ours, "train"),
}


@contextmanager
def timed() -> Iterator[dict[str, float]]:
    """Yield the seconds of each part so far; time in a part within is the inner's."""
    spent: dict[str, float] = defaultdict(float)
    running: list[list[Any]] = []

    def watch(name: str, run: Any) -> Any:
        @functools.wraps(run)
        def watched(*given: Any, **named: Any) -> Any:
            inside = running and running[-1][0] == "validation"
            mine = ["validation" if inside else name, 0.0]
            running.append(mine)
            started = time.thread_time()
            try:
                return run(*given, **named)
            finally:
                took = time.thread_time() - started
                running.pop()
                spent[mine[0]] += took - mine[1]
                if running:
                    running[-1][1] += took

        return watched

    before = [(owner, name, getattr(owner, name)) for owner, name in PARTS.values()]
    for part, (owner, name) in PARTS.items():
        setattr(owner, name, watch(part, getattr(owner, name)))
    try:
        yield spent
    finally:
        for owner, name, run in before:
            setattr(owner, name, run)


def profiled(size: Size, repeats: int = 3) -> list[dict[str, Any]]:
    """Return the parts of the quickest of several fits."""
    data, validation = size.draw(size.rows, 0), size.draw(size.rows // 10, 1)
    runs = []
    for _ in range(repeats):
        with timed() as spent, on_cores(1):
            ours.train(size, data, validation)
        runs.append(spent)
    best = min(runs, key=lambda spent: sum(spent.values()))
    total = sum(best.values())
    return [
        {
            "size": size.name,
            "part": part,
            "us_per_step": 1e6 * best[part] / size.steps,
            "share": best[part] / total,
        }
        for part in PARTS
    ]


def main() -> None:
    """Profile all sizes and write them down."""
    rows = []
    for size in SIZES:
        rows += profiled(size)
        for row in rows[-len(PARTS) :]:
            said = f"{row['size']:15} {row['part']:18} {row['us_per_step']:8.1f} µs"
            print(f"{said} {row['share']:6.1%}", flush=True)
    where = {"date": date.today().isoformat(), "processor": processor()}
    write(RESULTS / "profile.csv", [{"contestant": OURS} | r | where for r in rows])


if __name__ == "__main__":
    main()
