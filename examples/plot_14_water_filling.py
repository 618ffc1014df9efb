"""
Water-filling: where weights may vary
=====================================

Theorem 1 of the DARE paper: rewarded for their logarithms, the weights of a linear
model vary most along features that the training rows hardly use.
"""

import matplotlib.pyplot as plt
import numpy as np

from antireg import theory

moments = np.array([3.0, 1.0, 0.5, 0.2, 0.1, 0.03])  # mean squares of the features
optimum = np.array([0.5, 1.2, 0.3, 1.0, 0.0, 0.8])
budget = 1.0  # how much loss the variation may cost in total
filling = theory.water_filling(moments, optimum, budget)

# %%
# Each feature is a vessel. Its floor is what the best weight explains; all that are
# filled have the same level, and the water adds up to the budget.

floors, water = moments * optimum**2, moments * filling.variances
names = [f"{moment:g}" for moment in moments]
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.bar(names, floors, color="lightgray", label="floor")
left.bar(names, water, bottom=floors, label="water")
left.axhline(filling.constant * budget, color="black", linestyle="--", label="level")
left.set(
    title="vessels, filled to one level",
    xlabel="second moment of the feature",
    ylabel="loss",
)
left.legend()
right.bar(names, filling.variances)
right.set(
    title="what their weights vary by",
    xlabel="second moment of the feature",
    ylabel="variance of its weight",
)
plt.show()

# %%
# A row that uses a rare feature makes the members disagree, as far as the theorem goes.

usual, strange = np.eye(6)[[0, 5]]
print(theory.prediction_variance([usual, strange], filling.variances).round(2))
