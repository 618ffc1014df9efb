"""Measure speed beside peers in one interleaved run, store it and draw it.

make bench      prints ratios; writes results/bench/speed.csv and speed.svg
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from datetime import date

from benchmarks.speed import measuring
from benchmarks.speed.contestants import OURS, contestants
from benchmarks.speed.drawing import draw_speed
from benchmarks.speed.keeping import RESULTS, processor, read, write
from benchmarks.speed.sizes import SIZES

FILE = RESULTS / "speed.csv"


def main() -> None:
    """Measure everyone at all sizes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--cores", type=int, nargs="+", default=[2])
    parser.add_argument("--sizes", nargs="+", default=[size.name for size in SIZES])
    parser.add_argument("--only", nargs="+", help="peers; all by default")
    asked = parser.parse_args()
    busy = os.getloadavg()[0]
    if busy > 0.5:
        print(f"The machine is busy (load {busy:.1f}). Threads that wait for others")
        print("suffer most, so ratios on two cores flatter what uses processes.")
    started = time.perf_counter()
    everyone = [
        who
        for who in contestants()
        if who.cores in asked.cores
        and (not asked.only or who.name in [OURS, *asked.only])
    ]
    where = {"date": date.today().isoformat(), "processor": processor()}
    where |= {"python": platform.python_version(), "load": round(busy, 1)}
    if max(asked.cores) > 1:
        _keep([row | where for row in measuring.start_up()])
    for size in SIZES:
        if size.name not in asked.sizes:
            continue
        rows = measuring.measured(size, everyone, asked.repeats)
        if max(asked.cores) > 1:
            rows += measuring.extras(size, asked.repeats)
        for row in rows:
            print(_line(row), flush=True)
        _keep([row | where for row in rows])
    draw_speed(read(FILE), FILE.with_suffix(".svg"))
    print(f"{time.perf_counter() - started:.0f} s; written to {RESULTS}")


def _keep(rows: list[measuring.Row]) -> None:
    """Write rows down in place of those of the same sizes and cores."""
    new = {(row["size"], str(row["cores"])) for row in rows}
    old = read(FILE) if FILE.exists() else []
    write(FILE, [r for r in old if (r["size"], r["cores"]) not in new] + rows)


def _line(row: measuring.Row) -> str:
    said = f"{row['size']:15} {row['task']:10} {row['contestant']:22} "
    said += f"{row['cores']} cores {row['seconds']:8.3f} s"
    if "times_ours" in row:
        said += f"  {row['times_ours']:6.2f} × ours"
    if "share_of_peak" in row:
        said += f"  {row['share_of_peak']:4.0%} of the peak"
    return said


if __name__ == "__main__":
    main()
