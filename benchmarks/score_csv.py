"""Score a large CSV with the command line: rows per second, memory and where time goes.

    python benchmarks/score_csv.py [rows]

Prints one JSON object. On a busy machine, rows per processor second are the fairer
number. Memory is the peak of the process that scores, less what it
takes to score a file of a thousand rows.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

COLUMNS = 8
CHUNK = 250_000


def write_table(path: Path, n_rows: int, seed: int) -> None:
    """Write made-up rows: numbers, a category, a target."""
    rng, writer = np.random.default_rng(seed), None
    for first in range(0, n_rows, CHUNK):
        size = min(CHUNK, n_rows - first)
        X = rng.normal(size=(size, COLUMNS))
        names = np.array(["red", "green", "blue"])[rng.integers(3, size=size)]
        columns = {f"x{k}": np.round(X[:, k], 6) for k in range(COLUMNS)}
        columns |= {"colour": names, "y": np.sin(X[:, 0]) + 0.1 * X[:, 1]}
        batch = pa.record_batch(columns)
        writer = writer or csv.CSVWriter(path, batch.schema)
        writer.write_batch(batch)
    assert writer is not None
    writer.close()


def run(*arguments: str) -> tuple[float, float, float]:
    """Run the command line; return seconds, processor seconds and peak megabytes."""
    code = (
        "import resource, sys; from antireg.cli import main; code = main(); "
        "used = resource.getrusage(resource.RUSAGE_SELF); "
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss); sys.exit(code)"
    )
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments, "--quiet"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    *_, busy, peak = done.stdout.split()
    return time.perf_counter() - started, float(busy), int(peak) / 1024


def copy(source: Path, target: Path) -> float:
    """Return the seconds it takes only to read and write such files."""
    started, writer = time.perf_counter(), None
    for batch in csv.open_csv(source):
        columns = {f"c{k}": batch.column(k) for k in range(6)}
        scored = pa.record_batch(columns)
        writer = writer or csv.CSVWriter(target, scored.schema)
        writer.write_batch(scored)
    assert writer is not None
    writer.close()
    return time.perf_counter() - started


def main() -> None:
    """Measure."""
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name, size in {"train": 2000, "few": 1000, "many": n_rows}.items():
            write_table(folder / f"{name}.csv", size, seed=len(name))
        model = str(folder / "model")
        table = str(folder / "train.csv")
        run("fit", table, "--target", "y", "--out", model, "--random-state", "0",
            "--steps", "500")  # fmt: skip
        out = str(folder / "out.csv")
        few, many = (str(folder / f"{name}.csv") for name in ("few", "many"))
        start, start_busy, baseline = run("predict", model, few, "--out", out)
        seconds, busy, peak = run("predict", model, many, "--out", out)
        alone = copy(folder / "many.csv", folder / "copy.csv")
    found = {
        "rows": n_rows,
        "seconds": round(seconds, 1),
        "rows_per_second": round(n_rows / (seconds - start)),
        "rows_per_processor_second": round(n_rows / (busy - start_busy)),
        "megabytes_over_baseline": round(peak - baseline),
        "seconds_to_read_and_write_alone": round(alone, 1),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
