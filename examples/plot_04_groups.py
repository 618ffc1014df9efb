"""
Groups: new patients are what will come
=======================================

Rows of one patient are alike. Held out at random, they make a model look better than it
will be for new patients; with `groups`, whole patients are held out.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from antireg import EnsembleRegressor

rng = np.random.default_rng(0)
patient = np.repeat(np.arange(450), 6)
X = rng.normal(size=(450, 4))[patient] + 0.05 * rng.normal(size=(2700, 4))
own = 0.5 * rng.normal(size=450)  # what no column tells of a patient
y = X[:, 0] + own[patient] + 0.1 * rng.normal(size=2700)
known = patient < 150

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # `fit` notices, and asks for groups
    random = EnsembleRegressor(random_state=0).fit(X[known], y[known])
whole = EnsembleRegressor(random_state=0).fit(X[known], y[known], groups=patient[known])

# %%
# Of 300 new patients, 90 % intervals should cover 90 %, and 5 % should be flagged. With
# rows held out, too few are covered, and far too many flagged.

names, covered, flagged = ["rows held out", "patients held out"], [], []
for model in (random, whole):
    low, high = model.predict_interval(X[~known])
    covered.append(((low <= y[~known]) & (y[~known] <= high)).mean())
    flagged.append(model.is_ood(X[~known]).mean())
for name, inside, strange in zip(names, covered, flagged, strict=True):
    print(f"{name}: {inside:.0%} covered, {strange:.0%} flagged")
assert abs(covered[1] - 0.9) < abs(covered[0] - 0.9)
assert abs(flagged[1] - 0.05) < abs(flagged[0] - 0.05)

# %%
figure, panels = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
for panel, shares, wanted, title in zip(
    panels, (covered, flagged), (0.9, 0.05), ("covered", "flagged"), strict=True
):
    panel.bar(names, shares)
    panel.axhline(wanted, color="black", linestyle="--", label="asked for")
    panel.set(title=f"new patients {title}", ylim=(0, 1))
panels[0].legend(loc="lower left")
plt.show()
