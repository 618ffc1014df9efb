import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV

from antireg import TrustedClassifier, TrustedRegressor
from tests.small_tables import table

pytestmark = pytest.mark.filterwarnings("ignore:doubt was not learned")

X, Y = table(150)
FAR = X[:3] + 100


@pytest.fixture(scope="module")
def gate():
    return TrustedRegressor(Ridge(), random_state=0).fit(X, Y)


def test_far_rows_are_flagged_and_doubted(gate):
    assert gate.is_ood(FAR).all()
    assert gate.doubt(FAR).min() > 0.5 > gate.doubt(X).max()
    assert gate.is_ood(X).mean() < 0.1
    np.testing.assert_array_equal(gate.score_samples(FAR), -gate.ood_score(FAR))


def test_the_rate_of_false_alarms_may_be_asked_anew(gate):
    scores = gate.held_out_scores_
    assert gate.detector(0.5).threshold == pytest.approx(np.median(scores))
    assert gate.is_ood(X, 0.5).sum() >= gate.is_ood(X).sum()


def test_same_seed_same_numbers():
    model = TrustedRegressor(RandomForestRegressor(5), random_state=3)
    one, two = (model.fit(X, Y).predict(FAR, return_std=True) for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_a_fit_that_fails_leaves_the_model_as_it_was(gate):
    before = gate.predict(FAR)
    with pytest.raises(ValueError, match="groups must name at least 2"):
        gate.fit(X[:, :2], Y, groups=np.zeros(150))
    np.testing.assert_array_equal(gate.predict(FAR), before)


def test_each_gate_is_for_its_kind_of_estimator():
    with pytest.raises(ValueError, match="must be a regressor for TrustedRegressor"):
        TrustedRegressor(LogisticRegression()).fit(X, Y)
    with pytest.raises(ValueError, match="must be a classifier for TrustedClassifier"):
        TrustedClassifier(Ridge()).fit(X, Y > 0)


def test_prefit_takes_a_fitted_estimator_and_leaves_it_as_it_is():
    with pytest.raises(NotFittedError):
        TrustedRegressor(Ridge(), prefit=True).fit(X, Y)
    inner = Ridge().fit(X[:100], Y[:100])
    weights = inner.coef_.copy()
    model = TrustedRegressor(inner, prefit=True, random_state=0).fit(X[100:], Y[100:])
    assert model.estimator_ is inner
    np.testing.assert_array_equal(inner.coef_, weights)
    assert model.is_ood(FAR).all()
    assert model.doubt(FAR).min() > 0.5


def test_rows_of_weight_zero_are_not_there():
    weight = np.r_[np.ones(120), np.zeros(30)]
    wild = np.r_[Y[:120], np.full(30, 1e6)]
    weighted = TrustedRegressor(Ridge(), random_state=0).fit(X, wild, weight)
    without = TrustedRegressor(Ridge(), random_state=0)
    without.fit(X[:120], Y[:120], np.ones(120))
    np.testing.assert_allclose(weighted.predict(X), without.predict(X))


def test_groups_widen_what_is_said_where_groups_differ():
    rng = np.random.default_rng(0)
    groups = np.arange(150) // 10
    rows = np.c_[X[:, :1], rng.normal(size=15)[groups]]
    y = X[:, 0] + 3 * rng.normal(size=15)[groups]  # each group has a level of its own
    forest = TrustedRegressor(RandomForestRegressor(20), random_state=0)
    blind = forest.fit(rows, y).predict(rows, return_std=True)[1].mean()
    known = forest.fit(rows, y, groups=groups).predict(rows, return_std=True)[1].mean()
    assert known > 2 * blind


def test_settings_of_the_estimator_can_be_searched():
    search = GridSearchCV(
        TrustedRegressor(Ridge(), random_state=0), {"estimator__alpha": [1e-3, 1e6]}
    )
    assert search.fit(X, Y).best_params_ == {"estimator__alpha": 1e-3}
