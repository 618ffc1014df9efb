"""What a gate does to boosting and to a forest: UCI gaps, CityCam, two tables more.

    python benchmarks/trusted.py FOLDER   appends to results/choices/trusted.csv

FOLDER holds Bikeshare.csv and Wage.csv of the book ISLP; the other data are those of
`antireg.paper.data`. As in the paper, each seed has the gap of another feature of every
UCI table; `--every-gap` runs all of them for every seed. The gate was made by looking
at the tasks in `DEVELOPMENT` (two seeds), and at no other. Negative log-likelihoods are
of standardised targets. "plain" is the estimator with one noise for
all rows, from folds; "noise" is the gate without doubt, "gate" is all of it.
"constant" is what one would say without looking. "told" is the gate with doubt fitted
to the test and shifted rows themselves, which no honest model could: a bound of what
any rehearsal could teach it. The field `noise` says which rule a
row is of: "guarded" is the present one, "free" the curve without a least share of the
constant noise. Rows already there are not run again: delete old ones to replace them.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from antireg import TrustedRegressor, metrics
from antireg.paper.data import citycam
from antireg.paper.data.split import cut
from antireg.paper.data.uci_tables import n_splits, uci

RESULTS = Path(__file__).parent.parent / "results" / "choices" / "trusted.csv"
FIELDS = ("task", "seed", "model", "answer", "metric", "value", "noise")
NOISE = "guarded"
UCI = ("yacht", "boston", "energy", "concrete", "wine")  # small ones first
UCI += ("kin8nm", "power", "naval", "protein")
CITYCAM = ("weather", "cameras", "bigbus")
DEVELOPMENT = ("energy-gap-0", "energy-gap-2", "concrete-gap-0", "concrete-gap-7")
DEVELOPMENT += ("kin8nm-gap-0", "bike", "wage", "citycam-weather")
BIKE = ["hr", "holiday", "weekday", "workingday", "weathersit"]
BIKE += ["temp", "atemp", "hum", "windspeed"]
WAGE = ["maritl", "race", "education", "jobclass", "health", "health_ins"]

Rows = tuple[np.ndarray, np.ndarray]


def gap(name: str, index: int, seed: int) -> list[Rows]:
    """Return rows to fit on, familiar and shifted ones."""
    return _parts(uci(name, split="gap", index=index, seed=seed))


def camera(task: str, seed: int) -> list[Rows]:
    """Return the same of CityCam."""
    return _parts(citycam(task, seed))


def bike(folder: Path, seed: int) -> list[Rows]:
    """Return winter and autumn to fit on, and summer as shifted rows."""
    table = pd.read_csv(folder / "Bikeshare.csv")
    x = pd.get_dummies(table[BIKE], columns=["weathersit"]).to_numpy(float)
    known = np.isin(table["season"], [1, 4])
    shifted = table["season"].to_numpy() == 3
    return _cut(x, table["bikers"].to_numpy(float), known, shifted, seed)


def wage(folder: Path, seed: int) -> list[Rows]:
    """Return people up to 58 years to fit on, and older ones as shifted rows."""
    table = pd.read_csv(folder / "Wage.csv")
    x = pd.get_dummies(table[["year", "age", *WAGE]], columns=WAGE).to_numpy(float)
    old = table["age"].to_numpy() > 58
    return _cut(x, table["wage"].to_numpy(float), ~old, old, seed)


def _cut(
    x: np.ndarray, y: np.ndarray, known: np.ndarray, shifted: np.ndarray, seed: int
) -> list[Rows]:
    places = np.flatnonzero(known)
    test, train = cut(len(places), [0.1], np.random.default_rng(seed))
    return [(x[at], y[at]) for at in (places[train], places[test], shifted)]


def _parts(split: Any) -> list[Rows]:
    def rows(*parts: Any) -> Rows:
        x = np.concatenate([np.asarray(part.x, float) for part in parts])
        return x, np.concatenate(
            [np.ravel(np.asarray(part.y, float)) for part in parts]
        )

    (shifted,) = split.ood.values()
    return [rows(split.train, split.validation), rows(split.test), rows(shifted)]


def tasks(folder: Path, seed: int, every_gap: bool) -> dict[str, Any]:
    """Return what loads each task of a seed, by name."""
    found: dict[str, Any] = {}
    for name in UCI:
        n_gaps = n_splits(name, "gap")
        for index in range(n_gaps) if every_gap else [seed % n_gaps]:
            found[f"{name}-gap-{index}"] = partial(gap, name, index, seed)
    found |= {f"citycam-{task}": partial(camera, task, seed) for task in CITYCAM}
    return found | {
        "bike": partial(bike, folder, seed),
        "wage": partial(wage, folder, seed),
    }


def models(n_columns: int, seed: int) -> dict[str, Any]:
    """Return the estimators; of wide rows they see 32 principal components."""
    found = {
        "boosting": HistGradientBoostingRegressor(random_state=seed),
        "forest": RandomForestRegressor(max_features=1 / 3, random_state=seed),
    }
    if n_columns <= 64:
        return found
    first = PCA(32, random_state=seed)
    return {name: make_pipeline(first, model) for name, model in found.items()}


def run(parts: list[Rows], model: Any, seed: int) -> Iterator[tuple[str, str, float]]:
    """Yield (answer, metric, value) of one fit."""
    train, *both = parts
    centre, unit = train[1].mean(), train[1].std()
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gate = TrustedRegressor(model, random_state=seed).fit(*train)
    yield "gate", "cpu_seconds", time.process_time() - started
    folds = KFold(5, shuffle=True, random_state=seed)
    away = cross_val_predict(model, *train, cv=folds) - train[1]
    plain, best = np.square(away).mean(), told(gate, both)
    for name, (x, y) in zip(("in", "out"), both, strict=True):
        said = gate.said(x).outputs
        answer, noise = said.values, gate.gate_.calibration(said)
        mixture, bound = gate.predictive(x), best.predictive(x)
        answers = {
            "constant": (np.full_like(answer, centre), np.full_like(answer, unit)),
            "plain": (answer, np.full_like(answer, np.sqrt(plain))),
            "noise": (answer, np.sqrt(noise)),
            "gate": (mixture.mean, mixture.std),
            "told": (bound.mean, bound.std),
        }
        for kind, (mean, std) in answers.items():
            nll = metrics.gaussian_nll(y[:, None], mean, std) - np.log(unit)
            yield kind, f"nll_{name}", float(nll)
            yield kind, f"ece_{name}", metrics.regression_ece(y[:, None], mean, std)
        exact = metrics.mixture_nll(
            y[:, None], mixture.means, mixture.variances, mixture.weights
        )
        yield "gate", f"exact_nll_{name}", exact - float(np.log(unit))
        interval = gate.predict_interval(x)
        yield "gate", f"coverage90_{name}", metrics.coverage(y, *interval)
        yield "gate", f"flagged_{name}", float(gate.is_ood(x).mean())
        yield "gate", f"doubt_{name}", float(gate.doubt(x).mean())
    yield "gate", "auroc", metrics.auroc(*(gate.ood_score(x) for x, _ in both))


def told(gate: TrustedRegressor, both: list[Rows]) -> TrustedRegressor:
    """Return a gate whose doubt is fitted to familiar and shifted rows themselves."""
    kept, evidence = gate.gate_, []
    for x, y in both:
        answer, signals = kept.looking(x)
        unfamiliar = kept.normalisation.unfamiliar(signals)
        given = answer, kept.calibration, y, unfamiliar, np.ones(len(y))
        evidence.append(kept.looking.rules.evidence(*given))
    familiar, shifted = evidence
    doubt = kept.looking.rules.learned([familiar], [familiar], [shifted])
    best = copy(gate)
    best.gate_ = replace(kept, doubt=doubt)
    return best


def main() -> None:
    """Run what is missing."""
    asked = argparse.ArgumentParser()
    asked.add_argument("folder", type=Path)
    asked.add_argument("--seeds", type=int, default=5)
    asked.add_argument("--only", default="")
    asked.add_argument("--models", nargs="+", default=["boosting", "forest"])
    asked.add_argument("--every-gap", action="store_true")
    asked.add_argument("--out", type=Path, default=RESULTS)
    given = asked.parse_args()
    torch.set_num_threads(1)
    done = set()
    if given.out.exists():
        with given.out.open(newline="") as rows:
            done = {(r["task"], r["seed"], r["model"]) for r in csv.DictReader(rows)}
    for seed in range(given.seeds):
        for task, load in tasks(given.folder, seed, given.every_gap).items():
            if given.only not in task:
                continue
            parts = load()
            for name, model in models(parts[0][0].shape[1], seed).items():
                if name in given.models and (task, str(seed), name) not in done:
                    write(given.out, (task, seed, name), run(parts, model, seed))


def write(
    path: Path, key: tuple[Any, ...], values: Iterator[tuple[str, str, float]]
) -> None:
    """Append the rows of one fit."""
    listed, new = list(values), not path.exists()
    with path.open("a", newline="") as rows:
        writer = csv.writer(rows, lineterminator="\n")
        if new:
            writer.writerow(FIELDS)
        for answer, metric, value in listed:
            writer.writerow([*key, answer, metric, f"{value:.6g}", NOISE])


if __name__ == "__main__":
    main()
