"""Counts false alarms of `Monitor` on familiar streams, and times that of CityCam.

python benchmarks/monitor_alarms.py bets 3000    # streams of uniform p-values
python benchmarks/monitor_alarms.py models 60    # a model and a stream of new rows each
python benchmarks/monitor_alarms.py weather 3    # frames until the weather is noticed
"""

import sys
import warnings

import numpy as np

from antireg import EnsembleClassifier, EnsembleRegressor
from antireg.monitoring import Monitor
from antireg.monitoring.betting import N_BETS, Bets, factors, kept
from antireg.monitoring.ranks import Ranks, keys_of
from antireg.paper.data.citycam_splits import citycam

N_ROWS = 100_000
LEVEL = 0.01
QUICK = {"n_members": 3, "hidden": (32, 32), "epochs": 20, "lr": 3e-3}


def bets(n_streams: int) -> None:
    """Print the share of streams whose evidence ever reaches 1/α, all side by side."""
    rng = np.random.default_rng(0)
    capital, alarmed = np.zeros((n_streams, N_BETS)), np.zeros(n_streams, bool)
    for row in range(N_ROWS):
        capital += (kept(row) - kept(row + 1)) / N_BETS
        capital *= factors(rng.random(n_streams))
        alarmed |= kept(row + 1) + capital.sum(axis=1) >= 1 / LEVEL
    print(f"{alarmed.sum()} of {n_streams} streams of {N_ROWS} rows")


def models(n_models: int) -> None:
    """Print how many models raise an alarm on new rows of their own distribution."""
    n_alarms = 0
    for seed in range(n_models):
        rng = np.random.default_rng(seed)
        X, y = rows(seed % 4, int(rng.choice([400, 1000, 3000])), rng)
        kind = EnsembleRegressor
        if seed % 3 == 2:
            kind, y = EnsembleClassifier, np.digitize(y, np.quantile(y, [0.3, 0.7]))
        doubt = "rehearsed" if seed % 5 else None
        model = kind("deep_ensemble", **QUICK, doubt=doubt, random_state=seed)
        scores = model.fit(X, y).ood_score(rows(seed % 4, N_ROWS, rng)[0])
        most = most_evidence(model.held_out_scores_, scores, rng)
        n_alarms += most >= 1 / LEVEL
        print(f"model {seed}: most evidence {most:.3g}; alarms {n_alarms}", flush=True)


def rows(kind: int, n_rows: int, rng: np.random.Generator) -> tuple:
    """Return rows of one of four made-up tables: inputs and targets."""
    noise = rng.normal(size=n_rows)
    if kind == 0:
        X = rng.normal(size=(n_rows, 3))
        return X, 10 * np.sin(2 * X[:, 0]) + 3 * X[:, 1] + noise
    if kind == 1:
        X = rng.uniform(-1, 1, (n_rows, 8))
        return X, X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + 0.2 * noise
    if kind == 2:
        X = rng.lognormal(0, 1, (n_rows, 5))
        return X, np.log(X).sum(axis=1) + 0.5 * noise * X[:, 0]
    group = rng.integers(0, 4, n_rows)
    first = 3 * group + rng.normal(size=n_rows)
    X = np.column_stack([first, np.eye(4)[group], rng.standard_t(4, n_rows)])
    return X, group * first + noise


def most_evidence(known: np.ndarray, scores: np.ndarray, rng: object) -> float:
    """Return the most evidence that a stream of scores ever gives."""
    ranks, betting, most = Ranks(keys_of(known)), Bets(), 0.0
    shares = 1 - rng.random(len(scores))
    both = zip(keys_of(scores).tolist(), shares, strict=True)
    p = np.array([ranks.p_value(key, share) for key, share in both])
    for multiplied in factors(p):
        betting.add(multiplied)
        most = max(most, betting.evidence)
    return most


def weather(n_seeds: int) -> None:
    """Print after how many frames the weather is noticed, at once and after others."""
    for seed in range(n_seeds):
        split = citycam("weather", seed)
        model = EnsembleRegressor(random_state=seed).fit(split.train.x, split.train.y)
        late = split.ood["after_14h"].x[:400]
        soon, later = Monitor(model), Monitor(model)
        soon.update(late)
        later.update(split.test.x)
        print(f"seed {seed}: at once {soon.alarm}; test frames {later.alarm}")
        later.update(late)
        print(f"  after {len(split.test.x)} test frames {later.alarm}", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    {"bets": bets, "models": models, "weather": weather}[sys.argv[1]](int(sys.argv[2]))
