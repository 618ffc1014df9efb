"""Models small enough to be fitted in every test."""

import numpy as np
from torch import nn

from antireg import EnsembleClassifier, EnsembleRegressor

SMALL = {"n_members": 2, "hidden": (8,), "epochs": 3, "random_state": 0, "doubt": None}


def rows(n_rows=120):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 3)) * [1.0, 1e6, 1e-3]
    return X, X[:, 0] - 1e-6 * X[:, 1] + 0.1 * rng.normal(size=n_rows)


def regressor(**settings):
    return EnsembleRegressor(**SMALL | settings).fit(*rows())


def classifier(labels=("no", "yes"), **settings):
    X, y = rows()
    bins = np.digitize(y, np.quantile(y, np.arange(1, len(labels)) / len(labels)))
    return EnsembleClassifier(**SMALL | settings).fit(X, np.array(labels)[bins])


def own_network(n_inputs, n_outputs):
    return nn.Sequential(nn.Linear(n_inputs, 4), nn.GELU(), nn.Linear(4, n_outputs))


def assert_same(model, other):
    X = np.concatenate([rows()[0], 1e3 * rows()[0]])
    np.testing.assert_array_equal(model.predict(X), other.predict(X))
    np.testing.assert_array_equal(model.ood_score(X), other.ood_score(X))
    np.testing.assert_array_equal(model.is_ood(X), other.is_ood(X))
    if isinstance(model, EnsembleRegressor):
        for ours, theirs in zip(
            model.predict_interval(X), other.predict_interval(X), strict=True
        ):
            np.testing.assert_array_equal(ours, theirs)
    else:
        np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X))
        assert model.classes_.dtype == other.classes_.dtype
