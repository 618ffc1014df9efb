"""A fit that fails or is interrupted leaves the estimator as it was."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.validation import check_is_fitted

from antireg import DARE, EnsembleClassifier, EnsembleRegressor
from tests.small_tables import QUICK, labelled, table, unfinished_is_fine

pytestmark = unfinished_is_fine


def interrupt(epoch: object) -> None:
    raise KeyboardInterrupt


FAILURES = {
    "interrupted": {"callbacks": [interrupt]},
    "diverged": {"lr": 1e20, "epochs": 30},
    "refused at the door": {"lr": -1.0},
    "wrong loss": {"loss": "hinge"},
}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failed_refit_changes_nothing(failure: str) -> None:
    X, y = labelled(n_classes=3)
    model = EnsembleClassifier(**QUICK).fit(X, y)
    learned = {name: value for name, value in vars(model).items() if name[-1] == "_"}
    before, scores = model.predict_proba(X), model.ood_score(X)
    model.set_params(**FAILURES[failure])
    other = np.where(y == "a", "z", "q")
    with pytest.raises((ValueError, KeyboardInterrupt)):
        model.fit(100 * X[:, :1], other)
    now = {name: value for name, value in vars(model).items() if name[-1] == "_"}
    assert now.keys() == learned.keys()
    assert all(now[name] is value for name, value in learned.items())
    np.testing.assert_array_equal(model.predict_proba(X), before)
    np.testing.assert_array_equal(model.ood_score(X), scores)


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failed_first_fit_leaves_it_unfitted(failure: str) -> None:
    X, y = table()
    model = EnsembleRegressor(**QUICK | FAILURES[failure])
    with pytest.raises((ValueError, KeyboardInterrupt)):
        model.fit(X, y)
    assert not [name for name in vars(model) if name.endswith("_")]
    with pytest.raises(NotFittedError):
        check_is_fitted(model)


def test_warnings_that_are_errors_are_failures_like_others() -> None:
    X, y = table()
    model = EnsembleRegressor(DARE(threshold=-50.0), **QUICK)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ConvergenceWarning) as caught:
            model.fit(X, y)
        with pytest.raises(NotFittedError):
            model.predict(X)
    assert caught.traceback
    with pytest.warns(ConvergenceWarning) as said:
        model.fit(X, y)
    assert said[0].filename == __file__  # it points at the call of `fit`
    model.predict(X)


def test_a_refit_keeps_nothing_of_the_fit_before() -> None:
    X, y = table()
    named = pd.DataFrame(X, columns=[f"column {i}" for i in range(X.shape[1])])
    model = EnsembleRegressor(**QUICK).fit(named, y)
    model.note = "the user's own"
    model.stale_ = 1
    assert hasattr(model, "feature_names_in_")
    assert model.fit(X[:, :1], y) is model
    assert model.n_features_in_ == 1
    assert not hasattr(model, "feature_names_in_")
    assert not hasattr(model, "stale_")
    assert model.note == "the user's own"
