"""
Digits that were never seen
===========================

A classifier that knows the digits 0 to 7 meets 8 and 9.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from antireg import EnsembleClassifier, metrics

X, y = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(X))
known = order[y[order] < 8]
train, test, new = known[:1000], known[1000:], order[y[order] >= 8]
model = EnsembleClassifier(random_state=0).fit(X[train], y[train])

familiar, strange = model.ood_score(X[test]), model.ood_score(X[new])
print(f"accuracy {model.score(X[test], y[test]):.3f}")
print(f"AUROC of new digits {metrics.auroc(familiar, strange):.3f}")
print(
    f"flagged: {model.is_ood(X[test]).mean():.1%} of known, "
    f"{model.is_ood(X[new]).mean():.1%} of new"
)

# %%
plt.hist([familiar, strange], bins=30, density=True, label=["0 to 7", "8 and 9"])
plt.axvline(model.ood_threshold(), color="black", linestyle="--", label="threshold")
plt.title("scores of digits that were known, and of new ones")
plt.xlabel("ood_score")
plt.legend()
plt.show()
