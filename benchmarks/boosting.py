"""How good default answers are on ordinary rows, beside boosting and a deep ensemble.

    python benchmarks/boosting.py [TABLE ...]     appends to results/bench/boosting.csv
    python benchmarks/boosting.py --table         fills in the table of docs/speed.md

Test rows are like those of training: the standard splits of UCI, rows inside of tables
with a shift of their own, and a fifth of scikit-learn's tables of classes. The metric
is the RMSE, or the log loss of classes. "deep ensemble" is the same without doubt,
"boosting" is scikit-learn's HistGradientBoosting, both with their defaults. Everyone
gets all rows but the test rows. Rows already there are not run again.
"""

from __future__ import annotations

import argparse
import csv
import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from antireg import EnsembleClassifier, EnsembleRegressor, metrics
from antireg.paper.data.natural_tables import TABLES as NATURAL
from antireg.paper.data.natural_tables import natural
from antireg.paper.data.uci_tables import uci

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results" / "bench" / "boosting.csv"
PAGE = ROOT / "docs" / "speed.md"
FIELDS = ("table", "seed", "model", "rows", "metric", "value")
CLASSES = {
    "cancer": load_breast_cancer,
    "digits": load_digits,
    "wines": load_wine,
}
UCI = ("yacht", "boston", "energy", "concrete", "wine", "kin8nm", "power")
TABLES = [*UCI, *CLASSES, "sacramento", "saratoga", "schools"]
OURS, PLAIN, BOOSTING = "antireg", "deep ensemble", "boosting"
MOST_ROWS = 10_000

Parts = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def parts(name: str, seed: int) -> Parts:
    """Return inputs and targets to fit on, and those to test with."""
    if name in CLASSES:
        X, y = CLASSES[name](return_X_y=True)
        X, X_test, y, y_test = train_test_split(
            X, y, test_size=0.2, stratify=y, random_state=seed
        )
        return X, y, X_test, y_test
    split = natural(name, seed) if name in NATURAL else uci(name, index=seed, seed=seed)
    both = [(rows.x, rows.y) for rows in (split.train, split.validation)]
    x, y = (np.concatenate(part)[:MOST_ROWS] for part in zip(*both, strict=True))
    return x, y, split.test.x, split.test.y


def models(name: str, seed: int) -> dict[str, Callable[[], Any]]:
    """Return what makes each model."""
    ours, boosting = EnsembleRegressor, HistGradientBoostingRegressor
    if name in CLASSES:
        ours, boosting = EnsembleClassifier, HistGradientBoostingClassifier
    return {
        OURS: lambda: ours(random_state=seed),
        PLAIN: lambda: ours("deep_ensemble", doubt=None, random_state=seed),
        BOOSTING: lambda: boosting(random_state=seed),
    }


def run(name: str, seed: int) -> Iterator[tuple[str, int, str, float]]:
    """Yield (model, rows, metric, value)."""
    X, y, X_test, y_test = parts(name, seed)
    for model, make in models(name, seed).items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = make().fit(X, y)
        if name in CLASSES:
            value = log_loss(y_test, fitted.predict_proba(X_test))
            yield model, len(y), "log_loss", value
        else:
            yield model, len(y), "rmse", metrics.rmse(y_test, fitted.predict(X_test))


def known() -> list[dict[str, str]]:
    """Return the rows that are there."""
    if not RESULTS.exists():
        return []
    with RESULTS.open(newline="") as file:
        return list(csv.DictReader(file))


def table() -> str:
    """Return the means over seeds, and how far the default is behind the better one."""
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    facts = {}
    for row in known():
        values[row["table"]][row["model"]].append(float(row["value"]))
        facts[row["table"]] = row
    lines = [f"| table | rows | seeds | {OURS} | {PLAIN} | {BOOSTING} | behind |"]
    lines += ["| --- " * 7 + "|"]
    behind = []
    for name in [name for name in TABLES if name in values]:
        means = {model: float(np.mean(found)) for model, found in values[name].items()}
        ratio = means[OURS] / min(means[PLAIN], means[BOOSTING]) - 1
        behind.append(ratio)
        kind = facts[name]["metric"].replace("_", " ").replace("rmse", "RMSE")
        told = " | ".join(f"{means[model]:.4g}" for model in (OURS, PLAIN, BOOSTING))
        size = f"{facts[name]['rows']} | {len(values[name][OURS])}"
        lines.append(f"| {name}, {kind} | {size} | {told} | {ratio:+.1%} |")
    lines.append(f"| mean | | | | | | {np.mean(behind):+.1%} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    if args.table:
        place = r"(<!-- boosting -->\n).*?(<!-- end -->)"
        text = PAGE.read_text(encoding="utf-8")
        text = re.sub(place, rf"\g<1>\n{table()}\n\g<2>", text, flags=re.DOTALL)
        PAGE.write_text(text, encoding="utf-8")
        return
    torch.set_num_threads(1)
    done = {(row["table"], int(row["seed"])) for row in known()}
    for seed in range(args.seeds):
        for name in args.tables:
            if (name, seed) in done:
                continue
            rows = [(name, seed, *found) for found in run(name, seed)]
            new = not RESULTS.exists()
            with RESULTS.open("a", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerows([FIELDS, *rows] if new else rows)
            print(name, seed, *(f"{row[2]} {row[-1]:.4g}" for row in rows), flush=True)


if __name__ == "__main__":
    main()
