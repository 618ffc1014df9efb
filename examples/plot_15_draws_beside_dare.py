"""
Draws around trained members, beside DARE
=========================================

DARE trains twice: a deep ensemble, then members whose weights grow while they fit.
After the first training, ``WaterFilling`` draws weights in closed form instead.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from antireg import (
    DARE,
    DeepEnsemble,
    EnsembleClassifier,
    EnsembleRegressor,
    WaterFilling,
)

rng = np.random.default_rng(0)
X = np.concatenate([rng.uniform(-1, -0.2, 300), rng.uniform(0.4, 1, 200)])[:, None]
y = np.sin(5 * X[:, 0]) + 0.1 * rng.normal(size=500)
moons, classes = make_moons(400, noise=0.1, random_state=0)
methods = {
    "deep ensemble": DeepEnsemble(),
    "DARE": DARE(),
    "WaterFilling": WaterFilling(draws=10),
}
settings = {"steps": 1500, "doubt": None, "random_state": 0}

# %%
# Top: amounts, ±2σ. The deep ensemble is nearly as sure away from its rows as among
# them; the others spread out, and answer alike among the rows. Bottom: how far members
# disagree about two classes, as a multiple of what 95 % of training rows are below. All
# fit classes by squared error, as DARE does; far away, a softmax is sure again.

line, axis = np.linspace(-2.5, 2.5, 300)[:, None], np.linspace(-4, 4, 80)
grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
figure, panels = plt.subplots(
    2, 3, figsize=(10, 6.5), sharey="row", layout="constrained"
)
for (name, method), top, bottom in zip(methods.items(), *panels, strict=True):
    model = EnsembleRegressor(method, **settings).fit(X, y)
    mean, std = model.predict(line, return_std=True)
    top.fill_between(line[:, 0], mean - 2 * std, mean + 2 * std, alpha=0.3)
    top.plot(line, mean)
    top.scatter(X, y, s=3, color="gray")
    top.set(title=name, ylim=(-5, 5))

    model = EnsembleClassifier(method, loss="squared_error", **settings)
    model.fit(moons, classes)
    usual = np.quantile(model.ood_score(moons, "epistemic"), 0.95)
    times = model.ood_score(grid, "epistemic").reshape(80, 80) / usual
    shown = bottom.contourf(
        axis, axis, np.log10(times), levels=np.linspace(-1, 4, 11), extend="both"
    )
    bottom.scatter(*moons.T, c=classes, s=3, cmap="coolwarm")
    bottom.set(aspect="equal")
figure.colorbar(shown, ax=panels[1], label="times (a power of ten)")
plt.show()
