"""
Three methods beside each other
===============================

Three ways to make members disagree, without doubt: ±2σ on a line with a gap. All fit
the rows equally well. The strength is given here, to save time; by default it is chosen
on validation rows. ``METHODS`` has the others.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from antireg import DARE, AnchorNet, DeepEnsemble, EnsembleRegressor

rng = np.random.default_rng(0)
X = np.concatenate([rng.uniform(-1, -0.3, 60), rng.uniform(0.3, 1, 60)])[:, None]
y = np.sin(4 * X[:, 0]) + 0.05 * rng.normal(size=120)
line = np.linspace(-2, 2, 200)[:, None]

methods = [DeepEnsemble(), DARE(), AnchorNet(strength=0.1)]
settings = {"doubt": None, "hidden": (50, 50), "steps": 1000, "lr": 0.01}
figure, panels = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True)
for panel, method in zip(panels, methods, strict=True):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows calibrate, and nothing here needs it
        model = EnsembleRegressor(method, random_state=0, **settings).fit(X, y)
    assert model.score(X, y) > 0.95
    mean, std = model.predict(line, return_std=True)
    panel.fill_between(line[:, 0], mean - 2 * std, mean + 2 * std, alpha=0.3)
    panel.plot(line, mean)
    panel.scatter(X, y, s=4, color="gray")
    panel.set(title=type(method).__name__, ylim=(-4, 4))
plt.show()
