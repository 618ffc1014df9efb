"""
Drift, without targets
======================

Rows come one by one, and their targets much later. `Monitor` bets against the rows
being like those of training; what it has won is the evidence of drift. It may be looked
at after every row: a stream of familiar rows ever reaches 100 with a probability of at
most 1 %.
"""

import matplotlib.pyplot as plt
import numpy as np

from antireg import EnsembleRegressor, Monitor

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 3))
y = np.sin(X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=600)
model = EnsembleRegressor(steps=1000, random_state=0).fit(X, y)

# %%
# After 300 rows, a sensor drifts: the third column moves by 0.02 with every row.

stream = rng.normal(size=(500, 3))
stream[300:, 2] += 0.02 * np.arange(200)
monitor, evidence = Monitor(model), []
for row in stream:
    monitor.update(row[None])
    evidence.append(monitor.evidence)
print(monitor.alarm)

# %%
plt.semilogy(evidence, label="evidence")
plt.axhline(100, color="black", linestyle="--", label="alarm")
plt.axvline(300, color="gray", linestyle=":", label="the drift begins")
plt.title("evidence of drift, row by row")
plt.xlabel("row")
plt.legend()
plt.show()
