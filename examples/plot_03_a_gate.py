"""
A gate around boosting
======================

`TrustedRegressor` puts doubt around any scikit-learn regressor: copies of it are fitted
without parts of the rows, to see where it fails.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from antireg import TrustedRegressor

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (600, 1))
y = np.sin(4 * X[:, 0]) + 0.1 * rng.normal(size=600)
model = TrustedRegressor(HistGradientBoostingRegressor(), random_state=0).fit(X, y)

# %%
# Boosting continues with its last value for ever. The gate says that it does not know.

line = np.linspace(-3, 3, 300)[:, None]
low, high = model.predict_interval(line)
plt.fill_between(line[:, 0], low, high, alpha=0.3, label="90 % interval, gated")
plt.plot(line, model.predict(line), label="gated mean")
plt.plot(line, model.estimator_.predict(line), "--", label="boosting alone")
plt.scatter(X, y, s=4, color="gray")
plt.title("gated boosting, and boosting alone, beyond its rows")
plt.legend()
plt.show()
