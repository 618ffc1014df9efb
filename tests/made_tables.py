"""Tables as users have them: numbers, words, booleans, gaps."""

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet


def houses(n_rows=200, seed=0, shift=0.0, **changes):
    rng = np.random.default_rng(seed)
    size, income = rng.normal(size=n_rows) + shift, rng.uniform(0, 1e4, n_rows)
    colour = np.array(["red", "green", "blue"])[rng.integers(3, size=n_rows)]
    new = rng.random(n_rows) < 0.3
    price = 100 * np.sin(size) + income / 50 + 20 * (colour == "red") + 10 * new
    income[rng.random(n_rows) < 0.1] = np.nan
    gaps = pa.array(income, from_pandas=True)
    values = {"size": size, "income": gaps, "colour": colour, "new": new}
    return pa.table(
        values | {"price": price, "dear": np.where(price > 100, "yes", "no")} | changes,
    )


def written(table, path):
    write = csv.write_csv if path.suffix == ".csv" else parquet.write_table
    write(table, path)
    return str(path)
