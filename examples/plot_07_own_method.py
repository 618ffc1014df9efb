"""
A method of your own
====================

A method is a penalty that is added to each member's loss: one class, one function.
"""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import torch

from antireg import EnsembleRegressor, Method


@dataclass
class SmallOutputs(Method):
    """Penalise large outputs, so that members are timid."""

    strength: float = 0.1

    def penalty(self, step, memory):
        """Return the mean square of each member's outputs, (members,)."""
        return self.strength * torch.square(step.outputs).flatten(1).mean(1)


rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (300, 2))
y = X[:, 0] + 0.1 * rng.normal(size=300)
model = EnsembleRegressor(SmallOutputs(strength=0.5), steps=500, random_state=0).fit(
    X, y
)
print(f"R² {model.score(X, y):.3f}")

# %%
plt.scatter(y, model.predict(X), s=6)
plt.axline((0, 0), slope=1, color="black", linestyle="--")
plt.title("predictions of timid members")
plt.xlabel("target")
plt.ylabel("prediction")
plt.show()

# %%
# Everything else works as with the built-in methods: doubt, `GridSearchCV` into
# ``method__strength``, `n_jobs`, checkpoints.
