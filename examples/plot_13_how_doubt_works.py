"""
How doubt works, in one picture
===============================

Members answer everywhere. Doubt learns in `fit` how wrong they are on rows they have
not seen, and mixes their answer with a simple one: the mean and spread of all targets
and, not too far away, a straight line through the training rows.
"""

import matplotlib.pyplot as plt
import numpy as np

from antireg import EnsembleRegressor

rng = np.random.default_rng(0)
X = np.concatenate([rng.uniform(-1, -0.2, 300), rng.uniform(0.4, 1, 200)])[:, None]
y = np.sin(5 * X[:, 0]) + 0.1 * rng.normal(size=500)
model = EnsembleRegressor(random_state=0).fit(X, y)
line = np.linspace(-2.5, 2.5, 400)[:, None]

# %%
# Top: the members alone. Middle: doubt, the weight of the simple answer. Bottom: both.

alone = model.predictive_of(model.said(line).alone)
mean, std = model.predict(line, return_std=True)
figure, panels = plt.subplots(3, 1, figsize=(7, 8), sharex=True, layout="constrained")
for panel, middle, spread, title in (
    (panels[0], alone.mean[:, 0], alone.std[:, 0], "1. what the members say, ±2σ"),
    (panels[2], mean, std, "3. what the model answers, ±2σ"),
):
    panel.fill_between(line[:, 0], middle - 2 * spread, middle + 2 * spread, alpha=0.3)
    panel.plot(line, middle)
    panel.scatter(X, y, s=3, color="gray", label="training rows")
    panel.axhline(y.mean(), color="black", linewidth=0.8, linestyle=":")
    panel.set(title=title, ylim=(-5, 5))
panels[1].plot(line, model.doubt(line), color="tab:orange", label="doubt")
flags = model.is_ood(line)
panels[1].fill_between(
    line[:, 0], 0, 1, where=flags, alpha=0.2, color="tab:red", label="flagged"
)
panels[1].set(title="2. how much is “I do not know”", ylim=(0, 1.02))
panels[0].legend(loc="upper left")
panels[1].legend(loc="center left")
plt.show()
