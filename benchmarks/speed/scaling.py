"""How the cost of a fit grows with rows, members and epochs, on one core.

    make bench      writes results/bench/scaling.csv and scaling.svg

Time should be linear in all three; memory should not depend on epochs. It is the most
that a process of its own held, all of Python and PyTorch included.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

from benchmarks.speed import ours
from benchmarks.speed.contestants import on_cores
from benchmarks.speed.drawing import draw_scaling
from benchmarks.speed.keeping import RESULTS, processor, write
from benchmarks.speed.measuring import Row, seconds
from benchmarks.speed.sizes import Size

BASE = Size("scaling", 5, (64, 100, 100, 100, 10), 128, 6400, 4, 0, 10)
FACTORS = {
    "rows": (3200, 6400, 12_800, 25_600),
    "members": (2, 5, 10, 20),
    "epochs": (2, 4, 8, 16),
}
REPEATS = 2


def fit(size: Size) -> float:
    """Return the seconds of a fit of this size."""
    data, validation = size.draw(size.rows, 0), size.draw(size.rows // 10, 1)
    with on_cores(1):
        return seconds(ours.train, size, data, validation)[0]


def memory(size: Size) -> float:
    """Return the megabytes that a process holds at most to fit this size."""
    call = [sys.executable, "-m", "benchmarks.speed.scaling", str(size.epochs)]
    return float(subprocess.run(call, check=True, capture_output=True).stdout)


def main() -> None:
    """Measure all curves, or one fit's memory if asked for its epochs."""
    if len(sys.argv) > 1:
        fit(replace(BASE, epochs=int(sys.argv[1])))
        # Not `resource.getrusage`: a process starts there with its parent's maximum.
        status = Path("/proc/self/status").read_text()
        print(int(status.split("VmHWM:")[1].split()[0]) / 1024)
        return
    where = {"date": date.today().isoformat(), "processor": processor()}
    fit(BASE)
    rows: list[Row] = []
    for what, values in FACTORS.items():
        sizes = [replace(BASE, **{what: value}) for value in values]
        times = [[fit(size) for size in sizes] for _ in range(REPEATS)]
        for size, value, *spent in zip(sizes, values, *times, strict=True):
            row = {"what": what, "value": value, "seconds": min(spent)}
            if what == "epochs":
                row["megabytes"] = memory(size)
            rows.append(row | where)
            print(*row.items(), flush=True)
    write(RESULTS / "scaling.csv", rows)
    draw_scaling(rows, RESULTS / "scaling.svg")


if __name__ == "__main__":
    main()
