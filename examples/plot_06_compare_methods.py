"""
The methods of the paper beside each other
==========================================

Six ways to make members disagree, without doubt: ±2σ on a line with a gap. Strengths
are given here, to save time; by default they are chosen on validation rows.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from antireg import (
    DARE,
    MOD,
    AnchorNet,
    DeepEnsemble,
    EnsembleRegressor,
    NegativeCorrelation,
    Repulsive,
)

rng = np.random.default_rng(0)
X = np.concatenate([rng.uniform(-1, -0.3, 60), rng.uniform(0.3, 1, 60)])[:, None]
y = np.sin(4 * X[:, 0]) + 0.05 * rng.normal(size=120)
line = np.linspace(-2, 2, 200)[:, None]

methods = [
    DeepEnsemble(),
    DARE(),
    AnchorNet(strength=0.1),
    MOD(strength=0.1),
    NegativeCorrelation(strength=0.1),
    Repulsive(),
]
figure, panels = plt.subplots(2, 3, figsize=(10, 6), sharex=True, sharey=True)
for panel, method in zip(panels.flat, methods, strict=True):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # short trainings, for a quick page
        model = EnsembleRegressor(
            method, doubt=None, hidden=(50, 50), steps=1500, random_state=0
        ).fit(X, y)
    mean, std = model.predict(line, return_std=True)
    panel.fill_between(line[:, 0], mean - 2 * std, mean + 2 * std, alpha=0.3)
    panel.plot(line, mean)
    panel.scatter(X, y, s=4, color="gray")
    panel.set(title=type(method).__name__, ylim=(-4, 4))
plt.show()
