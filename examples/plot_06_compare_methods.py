"""
The methods of the paper beside each other
==========================================

Six ways to make members disagree, without doubt: ±2σ on a line with a gap.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from antireg import METHODS, EnsembleRegressor

rng = np.random.default_rng(0)
X = np.concatenate([rng.uniform(-1, -0.3, 60), rng.uniform(0.3, 1, 60)])[:, None]
y = np.sin(4 * X[:, 0]) + 0.05 * rng.normal(size=120)
line = np.linspace(-2, 2, 200)[:, None]

figure, panels = plt.subplots(2, 3, figsize=(10, 6), sharex=True, sharey=True)
for panel, name in zip(panels.flat, list(METHODS)[:6], strict=True):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # short trainings, for a quick page
        model = EnsembleRegressor(
            name, doubt=None, hidden=(50, 50), steps=1500, random_state=0
        ).fit(X, y)
    mean, std = model.predict(line, return_std=True)
    panel.fill_between(line[:, 0], mean - 2 * std, mean + 2 * std, alpha=0.3)
    panel.plot(line, mean)
    panel.scatter(X, y, s=4, color="gray")
    panel.set(title=name, ylim=(-4, 4))
plt.show()
