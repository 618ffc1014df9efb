"""A whole fit with doubt, beside DARE's two trainings without, on one core.

    python -m benchmarks.speed.doubt_fits   adds to results/bench/doubt_fits.csv

Both in turn at each size, as many epochs at most; the best processor time counts. DARE
trains the ensemble that tells its threshold, and then itself, for all epochs. The
default trains one deep ensemble until it has learned, and rehearses.
"""

from __future__ import annotations

import os
import warnings
from datetime import date

from benchmarks.speed.contestants import on_cores
from benchmarks.speed.keeping import RESULTS, processor, read, write
from benchmarks.speed.measuring import Row, seconds
from benchmarks.speed.sizes import SIZES, Rows, Size

from antireg import EnsembleClassifier, EnsembleRegressor

FILE = RESULTS / "doubt_fits.csv"
TURNS = 3
FITS = {
    "default, with doubt": {},
    "DARE, without": {"method": "dare", "doubt": None, "patience": None},
}


def measured(size: Size) -> list[Row]:
    """Return the best processor time of both fits."""
    rows = size.draw(size.rows, seed=0), size.draw(size.rows // 10, seed=1)
    best = dict.fromkeys(FITS, float("inf"))

    def fit(name: str, train: Rows, held_out: Rows) -> None:
        estimator = EnsembleClassifier if size.classes else EnsembleRegressor
        model = estimator(
            n_members=size.members,
            hidden=size.hidden,
            batch_size=size.batch_size,
            epochs=size.epochs,
            random_state=0,
            **FITS[name],
        )
        model.fit(*train, validation_data=tuple(held_out))

    for _ in range(TURNS):
        for name in FITS:
            with on_cores(1), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                best[name] = min(best[name], seconds(fit, name, *rows)[0])
    dare = best["DARE, without"]
    return [
        {"size": size.name, "fit": name, "seconds": spent, "times_dare": spent / dare}
        for name, spent in best.items()
    ]


def main() -> None:
    """Measure the sizes that are missing."""
    rows: list[Row] = [*read(FILE)] if FILE.exists() else []
    done = {row["size"] for row in rows}
    for size in SIZES:
        if size.name in done:
            continue
        where = {"date": date.today().isoformat(), "processor": processor()}
        load = {"load": round(os.getloadavg()[0], 1)}
        found = [row | where | load for row in measured(size)]
        for row in found:
            print(row["size"], row["fit"], f"{row['times_dare']:.2f}", flush=True)
        rows += found
        write(FILE, rows)


if __name__ == "__main__":
    main()
