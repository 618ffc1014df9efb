"""Score a large CSV with the command line: rows per second, memory and where time goes.

    python benchmarks/score_csv.py [rows]

Prints what it found and writes results/bench/scoring_doubt.csv: a narrow table of ten
columns and a wide one, with doubt, scored to a file of results alone and of results
beside all columns. On a busy machine, rows per processor second are the fairer number.
Memory is the peak of the process that scores, less what it takes to score a file of a
thousand rows. Stages are processor time per row on one thread, each run alone over the
same rows, the best of some runs. (scoring.csv has rows of models without doubt.)
"""

import csv as plain_csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from pyarrow import csv

from antireg.cli.inputs import open_model
from antireg.familiarity.detection import Detector
from antireg.tables import TableWriter, column_names, stream_table
from antireg.tables.wording import joined

RESULTS = Path(__file__).parent.parent / "results" / "bench" / "scoring_doubt.csv"
TABLES = {"narrow": (8, 1), "wide": (24, 6)}
"""Columns of numbers and of categories."""
CASES = (("narrow", "none"), ("narrow", "all"), ("wide", "all"))
CHUNK = 250_000
STAGE_ROWS = 300_000
RUNS = 3
ENSEMBLE = ("said", "values", "reasons")


def write_table(path: Path, kind: str, n_rows: int, seed: int) -> None:
    """Write made-up rows: numbers, categories, a target."""
    n_numbers, n_names = TABLES[kind]
    rng, writer = np.random.default_rng(seed), None
    for first in range(0, n_rows, CHUNK):
        size = min(CHUNK, n_rows - first)
        X = rng.normal(size=(size, n_numbers))
        names = np.array(["red", "green", "blue"])[
            rng.integers(3, size=(n_names, size))
        ]
        columns = {f"x{k}": np.round(X[:, k], 6) for k in range(n_numbers)}
        columns |= {f"colour{k}": names[k] for k in range(n_names)}
        columns["y"] = np.sin(X[:, 0]) + 0.1 * X[:, 1]
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


def stages(model_folder: Path, table: Path, out: Path, kept: str) -> dict[str, float]:
    """Return the microseconds per row of each stage, on one thread."""
    torch.set_num_threads(1)
    stored, encoding = open_model(model_folder)
    model, limit = stored.model, stored.model.ood_threshold()
    also = column_names(table) if kept == "all" else []
    spent: dict[str, float] = {}

    def timed(name: str, make: Callable[[Any], Any], given: list[Any]) -> list[Any]:
        started = time.process_time()
        made = [make(thing) for thing in given]
        seconds = time.process_time() - started
        spent[name] = min(spent.get(name, np.inf), seconds)
        return made

    def read(path: Path) -> list[Any]:
        return list(stream_table(path, encoding.types, also=also))

    def values(said: Any) -> dict[str, Any]:
        found = model.named_values(said, 0.9)
        found |= {"ood_score": model.score_of(said), "doubt": model.weight_of(said)}
        return found | {"flag": Detector(limit).flag(found["ood_score"])}

    def reasons(given: tuple[Any, dict[str, Any]]) -> dict[str, Any]:
        (x, words), found = given
        rows = np.flatnonzero(found["flag"])
        why = np.full(len(x), "", dtype=object)
        said = model.reasons_of(x[rows], [words[row] for row in rows])
        why[rows] = [joined(each) for each in said]
        return found | {"reason": why}

    def write(pieces: list[Any]) -> None:
        with TableWriter(out, kept=also) as writer:
            for piece, values in pieces:
                copied = {name: piece.kept.column(name) for name in also}
                writer.write(pa.record_batch(copied | values))

    for _ in range(RUNS):
        (pieces,) = timed("read", read, [table])
        inputs = timed("encode", lambda p: encoding.encode(p.rows, p.bad), pieces)
        said = timed("said", lambda given: model.said(given[0]), inputs)
        found = timed("values", values, said)
        told = timed("reasons", reasons, list(zip(inputs, found, strict=True)))
        timed("write", write, [list(zip(pieces, told, strict=True))])
    n_rows = sum(piece.rows.num_rows for piece in pieces)
    return {name: 1e6 * seconds / n_rows for name, seconds in spent.items()}


def measure(kind: str, kept: str, n_rows: int) -> dict[str, Any]:
    """Return what scoring so many rows of a kind of table takes."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        sizes = {"train": 2000, "few": 1000, "part": STAGE_ROWS, "many": n_rows}
        for name, size in sizes.items():
            write_table(folder / f"{name}.csv", kind, size, seed=len(name))
        model, out = folder / "model", folder / "out.csv"
        table, few, many = (str(folder / f"{n}.csv") for n in ("train", "few", "many"))
        run("fit", table, "--target", "y", "--out", str(model), "--random-state", "0",
            "--steps", "500")  # fmt: skip
        more = ["--keep", "all"] if kept == "all" else []
        command = ["predict", str(model), *more, "--out", str(out)]
        start, start_busy, baseline = min(run(*command, few) for _ in range(2))
        seconds, busy, peak = run(*command, many)
        spent = stages(model, folder / "part.csv", out, kept)
    ensemble = sum(spent[name] for name in ENSEMBLE)
    return {
        "rows": n_rows,
        "processors": os.cpu_count(),
        "load": round(os.getloadavg()[2], 1),
        "seconds": round(seconds, 1),
        "rows_per_second": round(n_rows / (seconds - start)),
        "rows_per_processor_second": round(n_rows / (busy - start_busy)),
        "megabytes_over_baseline": round(peak - baseline),
        **{f"{name}_us": round(each, 3) for name, each in spent.items()},
        "ensemble_us": round(ensemble, 3),
        "reading_and_writing_us": round(spent["read"] + spent["write"], 3),
    }


def main() -> None:
    """Measure."""
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000
    found = []
    for kind, kept in CASES:
        found.append({"table": kind, "kept": kept, **measure(kind, kept, n_rows)})
        print(found[-1])
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    with RESULTS.open("w", newline="") as file:
        writer = plain_csv.DictWriter(file, list(found[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)


if __name__ == "__main__":
    main()
