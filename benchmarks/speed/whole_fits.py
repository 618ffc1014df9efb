"""Whole default fits of tables on one core, beside what people would use instead.

    python -m benchmarks.speed.whole_fits   writes results/bench/whole_fits.csv

Made tables of ten columns; doubt is learned too. `rmse` is on rows of the same kind.
"""

from __future__ import annotations

import os
import platform
import warnings
from collections import defaultdict
from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np
from benchmarks.speed.contestants import OURS, on_cores
from benchmarks.speed.keeping import RESULTS, processor, write
from benchmarks.speed.measuring import Row, seconds
from benchmarks.speed.sizes import Rows
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.model_selection import train_test_split

from antireg import EnsembleRegressor

FILE = RESULTS / "whole_fits.csv"
N_ROWS = (500, 5_000, 50_000)
REPEATS = 2


def table(n_rows: int, seed: int) -> Rows:
    """Return ten columns, of which four matter, and a target with noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_rows, 10)).astype(np.float32)
    y = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.5 * x[:, 3] ** 2
    return Rows(x, y + 0.3 * rng.normal(size=n_rows))


def antireg(data: Rows) -> Any:
    """Return the library's default with doubt."""
    model = EnsembleRegressor("deep_ensemble", doubt="rehearsed", random_state=0)
    return model.fit(*data)


def boosting(data: Rows) -> Any:
    """Return scikit-learn's boosted histograms."""
    return HistGradientBoostingRegressor(random_state=0).fit(*data)


def forest(data: Rows) -> Any:
    """Return a forest of 200 trees."""
    return RandomForestRegressor(200, random_state=0).fit(*data)


def ngboost(data: Rows) -> Any:
    """Return NGBoost with at most 500 trees, ended early by a tenth of the rows."""
    from ngboost import NGBRegressor  # not everyone has it  # noqa: PLC0415

    x, held_x, y, held_y = train_test_split(*data, test_size=0.1, random_state=0)
    model = NGBRegressor(n_estimators=500, verbose=False, random_state=0)
    return model.fit(x, y, X_val=held_x, Y_val=held_y, early_stopping_rounds=20)


EVERYONE: dict[str, Callable[[Rows], Any]] = {
    OURS: antireg,
    "NGBoost, 500 trees": ngboost,
    "forest of 200": forest,
    "HistGradientBoosting": boosting,
}


def measured(n_rows: int) -> list[Row]:
    """Return the best processor time of everyone who is installed, in turn."""
    data, new = table(n_rows, 0), table(5_000, 1)
    times: dict[str, list[float]] = defaultdict(list)
    errors: dict[str, float] = {}
    for _ in range(REPEATS):
        for name, fit in EVERYONE.items():
            try:
                with on_cores(1), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    spent, model = seconds(fit, data)
            except ImportError as error:
                print(f"{name}: not installed ({error})")
                continue
            times[name].append(spent)
            residual = np.asarray(model.predict(new.x)) - new.y
            errors[name] = float(np.sqrt(np.mean(residual**2)))
    return [
        {
            **{"rows": n_rows, "contestant": name, "seconds": min(spent)},
            **{"times_ours": min(spent) / min(times[OURS]), "rmse": errors[name]},
        }
        for name, spent in times.items()
    ]


def main() -> None:
    """Measure everyone at all sizes."""
    where = {"date": date.today().isoformat(), "processor": processor()}
    where |= {"python": platform.python_version()}
    where |= {"load": round(os.getloadavg()[0], 1)}
    rows: list[Row] = []
    for n_rows in N_ROWS:
        rows += [row | where for row in measured(n_rows)]
        for row in rows[-len(EVERYONE) :]:
            print(row["rows"], row["contestant"], f"{row['seconds']:.2f} s", flush=True)
        write(FILE, rows)


if __name__ == "__main__":
    main()
