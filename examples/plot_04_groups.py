"""
Groups: new patients are what will come
=======================================

Rows of one patient are alike. Held out at random, they make a model look better than it
will be for new patients; with `groups`, whole patients are held out.
"""

import warnings

import numpy as np

from antireg import EnsembleRegressor

rng = np.random.default_rng(0)
patient = np.repeat(np.arange(40), 20)
habit = rng.normal(size=(40, 4))[patient]
X = habit + 0.05 * rng.normal(size=(800, 4))
y = habit[:, 0] + rng.normal(size=40)[patient] + 0.1 * rng.normal(size=800)
known = patient < 30

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # `fit` notices, and asks for groups
    random = EnsembleRegressor(random_state=0).fit(X[known], y[known])
whole = EnsembleRegressor(random_state=0).fit(X[known], y[known], groups=patient[known])

# %%
# Of new patients, 90 % intervals should cover 90 %.

for name, model in (("rows held out", random), ("patients held out", whole)):
    low, high = model.predict_interval(X[~known])
    covered = ((low <= y[~known]) & (y[~known] <= high)).mean()
    print(f"{name}: {covered:.0%} covered")
