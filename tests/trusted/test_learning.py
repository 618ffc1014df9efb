import warnings

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from antireg import TrustedRegressor
from antireg.trusted.cloning import Table
from antireg.trusted.learning import Learner
from antireg.trusted.rules import ValueRules


def learner(n_rows=200, estimator=None, n_jobs=None):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=n_rows)
    rules = ValueRules.of(y, np.ones(n_rows))
    fold = np.arange(n_rows) % 5
    return Learner(rules, estimator, Table(X, y), fold, 0, None, n_jobs)


def test_every_row_is_told_by_a_copy_that_does_not_know_it():
    given = learner(estimator=LinearRegression())
    X, y = given.rows.X, given.rows.y
    unseen = given.learned(LinearRegression().fit(X, y)).unseen
    for number in range(5):
        out = given.fold == number
        copy = LinearRegression().fit(X[~out], y[~out])
        np.testing.assert_allclose(unseen.answer.values[out, 0], copy.predict(X[out]))


def test_processes_change_nothing():
    given = learner(estimator=LinearRegression())
    other = learner(estimator=LinearRegression(), n_jobs=2)
    model = LinearRegression().fit(given.rows.X, given.rows.y)
    one, seen, _ = given.learned(model)
    two, looked, _ = other.learned(model)
    np.testing.assert_allclose(seen.answer.values, looked.answer.values, rtol=1e-12)
    assert one.doubt.curve.end == pytest.approx(two.doubt.curve.end, rel=1e-9)


def test_a_model_that_is_not_to_be_refitted_is_asked_itself_and_doubt_is_not_learned():
    given = learner()
    model = LinearRegression().fit([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0, 1, 0])
    gate, unseen, shifts = given.learned(model)
    assert not shifts
    np.testing.assert_allclose(unseen.answer.values[:, 0], model.predict(given.rows.X))
    assert gate.doubt.curve.end == gate.doubt.curve.start + 2


def test_rows_held_out_are_not_among_the_references_they_are_compared_with():
    model = LinearRegression().fit([[0, 0], [1, 1]], [0, 1])
    unseen = learner().learned(model).unseen
    # A row compared with itself has distance 0, and the floor of log(d + φ) instead.
    assert len(np.unique(unseen.signals["nearest"])) == 200


def test_too_few_rows_to_rehearse_are_said_once():
    given = learner(60, LinearRegression())
    model = LinearRegression().fit(given.rows.X, given.rows.y)
    with pytest.warns(UserWarning, match="it takes 100 rows, and there are 60"):
        given.learned(model)


def test_a_series_is_noticed_unless_groups_are_given():
    rng = np.random.default_rng(0)
    X = np.cumsum(rng.normal(size=(400, 3)), axis=0)
    y = X[:, 0] + rng.normal(size=400)
    gate = TrustedRegressor(LinearRegression(), random_state=0)
    with pytest.warns(UserWarning, match="nearly alike"):
        gate.fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gate.fit(X, y, groups=np.arange(400) // 20)
    assert gate.n_groups_ == 20
