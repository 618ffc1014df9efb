"""What tables larger than memory take: time, and the most memory at once.

    python -m benchmarks.scale_memory    # results/bench/scale_memory.csv

Each fit runs in a process of its own, so that the memory of one is not counted for the
next. Needs 4 GB in the temporary folder: the large table is sparse on disk, the Parquet
file is not.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from benchmarks.speed.keeping import RESULTS, write

MEMMAP = (1_250_000, 2_000)
PARQUET = (400_000, 1_000)
ROWS_AT_ONCE = 20_000

FIT = """
import json, resource, sys, time, warnings
import numpy as np
from antireg import EnsembleRegressor
warnings.simplefilter("ignore")
path, n_rows, n_features = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
X = np.memmap(path, np.float64, "w+", shape=(n_rows, n_features))
rng = np.random.default_rng(0)
some = np.sort(rng.choice(n_rows, 2_000, replace=False))
X[some] = rng.normal(size=(len(some), n_features))
y = np.zeros(n_rows)
y[some] = X[some, 0]
model = EnsembleRegressor("deep_ensemble", doubt=None, n_members=2, hidden=(8,),
                          epochs=1, batch_size=4096, validation_fraction=0.02,
                          random_state=0)
started = time.perf_counter()
model.fit(X, y)
spent = time.perf_counter() - started
print(json.dumps({"seconds": spent, "training": model.history_.seconds,
                  "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20}))
"""

COMMAND = """
import json, resource, sys, time
from antireg.cli import main
started = time.perf_counter()
assert main(sys.argv[1:]) == 0
print(json.dumps({"seconds": time.perf_counter() - started,
                  "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20}))
"""


def measured(script: str, *given: str) -> dict[str, float]:
    """Return what a process of its own says of itself in its last line."""
    done = subprocess.run(
        [sys.executable, "-c", script, *given],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    said: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return said


def write_parquet(path: Path) -> None:
    """Write random columns and a target, some rows at a time."""
    rng = np.random.default_rng(0)
    names = [f"x{column}" for column in range(PARQUET[1])] + ["y"]
    schema = pa.schema([(name, pa.float64()) for name in names])
    with pq.ParquetWriter(path, schema) as writer:
        for _ in range(0, PARQUET[0], ROWS_AT_ONCE):
            values = rng.normal(size=(len(names), ROWS_AT_ONCE))
            writer.write_table(pa.table(list(values), schema=schema))


def row_of(what: str, shape: tuple[int, int], seconds: float, peak: float) -> dict:
    """Return a line of the results."""
    return {
        "what": what,
        "table_gigabytes": 8e-9 * shape[0] * shape[1],
        "rows": shape[0],
        "features": shape[1],
        "members": 2,
        "seconds": seconds,
        "peak_gigabytes": peak,
    }


def main() -> None:
    """Measure both and write them down."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table")
        found = measured(FIT, str(path), *map(str, MEMMAP))
        path.unlink()
        training, peak = found["training"], found["peak"]
        what = "memmap of float64 sparse on disk"
        rows = [
            row_of(f"{what}: look", MEMMAP, found["seconds"] - training, peak),
            row_of(f"{what}: 1 epoch", MEMMAP, training, peak),
        ]
        table, model = Path(folder, "table.parquet"), Path(folder, "model")
        write_parquet(table)
        given = ["fit", str(table), "--target", "y", "--out", str(model)]
        given += ["--n-members=2", "--epochs=1", "--batch-size=4096", "--quiet"]
        found = measured(COMMAND, *given)
        what = "antireg fit of a Parquet file"
        rows.append(row_of(what, PARQUET, found["seconds"], found["peak"]))
    for row in rows:
        print(row)
    write(RESULTS / "scale_memory.csv", rows)


if __name__ == "__main__":
    main()
