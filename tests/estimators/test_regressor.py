import numpy as np
import pytest

from antireg import DARE, EnsembleRegressor
from tests.small_tables import QUICK, SMALL, table, unfinished_is_fine

pytestmark = unfinished_is_fine


def test_regression_is_right_and_calibrated_on_an_easy_table() -> None:
    X, y = table(600)
    model = EnsembleRegressor("deep_ensemble", **SMALL).fit(X, y)
    X_new, y_new = table(300, seed=1)
    low, high = model.predict_interval(X_new, coverage=0.9)
    assert model.score(X_new, y_new) > 0.98
    assert 0.8 < ((low <= y_new) & (y_new <= high)).mean() <= 1


def test_several_targets_keep_their_shape_and_units() -> None:
    X, y = table(300)
    both = np.column_stack([y, 1000 * y])
    model = EnsembleRegressor("deep_ensemble", **SMALL).fit(X, both)
    mean, std = model.predict(X, return_std=True)
    assert mean.shape == std.shape == (300, 2)
    assert model.score(X, both) > 0.95
    assert np.median(std[:, 1] / std[:, 0]) == pytest.approx(1000, rel=0.5)
    assert model.ood_score(X).shape == (300,)


def test_a_column_of_targets_stays_a_column() -> None:
    X, y = table()
    assert EnsembleRegressor(**QUICK).fit(X, y[:, None]).predict(X).shape == (120, 1)


@pytest.mark.parametrize("unit", [1e12, 1e-12])
def test_units_do_not_matter(unit: float) -> None:
    X, y = table()
    plain = EnsembleRegressor("deep_ensemble", **QUICK).fit(X, y)
    other = EnsembleRegressor("deep_ensemble", **QUICK).fit(unit * X, unit * y)
    mean, std = plain.predict(X, return_std=True)
    in_unit, std_in_unit = other.predict(unit * X, return_std=True)
    np.testing.assert_allclose(in_unit, unit * mean, rtol=1e-3)
    np.testing.assert_allclose(std_in_unit, unit * std, rtol=1e-3)


def test_one_member_is_its_own_gaussian() -> None:
    X, y = table()
    model = EnsembleRegressor(**{**QUICK, "n_members": 1}).fit(X, y)
    predictive = model.predictive(X)
    assert np.array_equal(predictive.mean, predictive.means[0])
    assert np.array_equal(predictive.variance, predictive.variances[0])
    assert not predictive.epistemic.any()


def test_members_disagree_and_add_up() -> None:
    X, y = table()
    predictive = EnsembleRegressor(**QUICK).fit(X, y).predictive(X)
    assert predictive.means.shape == (2, 120, 1)
    assert (predictive.epistemic > 0).all()
    np.testing.assert_allclose(
        predictive.variance, predictive.aleatoric + predictive.epistemic
    )
    assert predictive.sample(7, random_state=0).shape == (7, 120, 1)


def test_squared_error_learns_one_noise() -> None:
    X, y = table(600)
    model = EnsembleRegressor("deep_ensemble", loss="squared_error", **SMALL).fit(X, y)
    aleatoric = model.predictive(X).aleatoric
    assert np.ptp(aleatoric) == pytest.approx(0)
    assert aleatoric[0, 0] > 0


def test_constant_columns_and_targets_are_fine() -> None:
    X, _ = table()
    X[:, 1] = 7.0
    model = EnsembleRegressor(**QUICK).fit(X, np.full(120, 42.0))
    mean, std = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean, 42.0, rtol=1e-5)
    assert (std < 1e-3).all()


def test_far_away_sigma_is_large_but_not_absurd() -> None:
    X, y = table()
    far = 1e9 * X[:5]
    model = EnsembleRegressor(DARE(threshold=1e9), **{**SMALL, "epochs": 100}).fit(X, y)
    aleatoric = np.sqrt(model.predictive(far).aleatoric)
    assert aleatoric.max() <= 1.0001e6 * model.target_scaling_.scale
    assert (model.predict(far, return_std=True)[1] > 100 * y.std()).all()


def test_targets_in_their_own_units_have_no_such_cut() -> None:
    assert EnsembleRegressor(scaling="none").highest_log_variance_ == 600
