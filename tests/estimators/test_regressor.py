import copy
import warnings

import numpy as np
import pytest
import torch

from antireg import DARE, EnsembleRegressor
from antireg.estimators.doubting import Said
from tests.small_models import own_network
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
    model = EnsembleRegressor(**QUICK, scaling="none").fit(*table())
    assert model.highest_log_variance_ == 600


def outputs_of(*means: float, log_variance: float = -4.0) -> np.ndarray:
    """Return outputs of members for one row of scaled targets."""
    return np.array([[[mean, log_variance]] for mean in means])


@pytest.fixture(scope="module")
def model() -> EnsembleRegressor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return EnsembleRegressor(**{**QUICK, "n_members": 5}).fit(*table())


def test_a_wild_member_does_not_carry_the_mean_away(model) -> None:
    wild = model.predictive_of(Said(outputs_of(0.0, 0.1, 0.2, 0.1, 300.0)))
    tame = model.predictive_of(Said(outputs_of(0.0, 0.1, 0.2, 0.1, 0.3)))
    assert abs(wild.mean.item() - tame.mean.item()) < 0.1 * model.target_scaling_.scale
    low, high = wild.interval(0.9)
    assert (high - low).item() < 2 * model.target_scaling_.scale


def test_members_that_agree_are_the_plain_mixture_to_the_bit(model) -> None:
    outputs = outputs_of(0.0, 0.05, 0.1, 0.05, 0.15)
    plain = plain_of(model).predictive_of(Said(outputs))
    np.testing.assert_array_equal(model.predictive_of(Said(outputs)).means, plain.means)


def test_where_all_members_are_wild_the_mean_is_near_the_targets(model) -> None:
    outputs = outputs_of(-124.0, 114.0, -128.0, -137.0, 25.0)
    predictive = model.predictive_of(Said(outputs))
    low, high = model.target_scaling_.unscaled(model.target_range_).ravel()
    # The mean of five numbers up to 1e2 is rounded to 1e-13.
    assert low - 1e-12 <= predictive.mean.item() <= high + 1e-12
    assert predictive.std > 5 * model.target_scaling_.scale


def test_the_score_is_of_the_members_as_they_are(model) -> None:
    outputs = outputs_of(0.0, 0.1, 0.2, 0.1, 300.0)
    plain = plain_of(model)
    assert model.ood_score_of(outputs) == plain.ood_score_of(outputs)
    assert model.ood_score_of(outputs) > 100


def plain_of(model: EnsembleRegressor) -> EnsembleRegressor:
    """Return the fitted model, with its members' outputs as they are."""
    plain = copy.copy(model)
    plain.robust_ = False
    return plain


CENTRED = {**SMALL, "n_members": 3, "epochs": 40, "lr": 1e-3}


@pytest.mark.parametrize("loss", ["gaussian_nll", "squared_error"])
@pytest.mark.parametrize("n_targets", [1, 2])
def test_the_mean_is_that_of_a_deep_ensemble_alone(loss: str, n_targets: int) -> None:
    """On the rows of training, and far from them."""
    X, y = table(150)
    y = np.stack([y, X[:, 0] ** 2], axis=1)[:, :n_targets]
    weight = np.random.default_rng(0).uniform(0.5, 2, len(X))
    dare, plain = (
        EnsembleRegressor(method, loss=loss, **CENTRED).fit(X, y, sample_weight=weight)
        for method in ("dare", "deep_ensemble")
    )
    rows = np.concatenate([X, 30 * X])
    mixture, scale = dare.predictive(rows), dare.target_scaling_.scale
    # A mean of doubles is rounded to 1e-16 of the largest, far out that of a member.
    size = np.abs(mixture.means).max(0) + np.abs(plain.predictive(rows).means).max(0)
    away = np.abs(mixture.mean - plain.predictive(rows).mean)
    assert (away <= 1e-14 * size + 1e-14 * scale).all()
    # It is the members that disagree, and that are scored.
    assert dare.network_.n_members == len(mixture.means) == 3
    assert not torch.equal(dare.network_.flat, dare.centre_.flat)
    score = dare.ood_score_of(dare.outputs(rows))
    np.testing.assert_array_equal(dare.ood_score(rows), score)


def test_members_keep_their_disagreement_about_the_centre(model) -> None:
    without = copy.copy(model)
    without.centre_ = None
    X = table()[0]
    # Means are shifted by one number a row, rounded to 1e-16 of a few units.
    found, expected = model.predictive(X), without.predictive(X)
    np.testing.assert_allclose(found.epistemic, expected.epistemic, rtol=1e-9)
    np.testing.assert_array_equal(found.variances, expected.variances)
    assert (found.mean != expected.mean).any()


@pytest.mark.parametrize("settings", [{"robust": False}, {"method": DARE(0.5)}])
def test_there_is_no_centre_without_a_reference_or_robustness(settings) -> None:
    model = EnsembleRegressor(**QUICK | settings).fit(*table())
    assert model.centre_ is None


def test_a_network_of_ones_own_has_a_centre_too() -> None:
    model = EnsembleRegressor(**QUICK, network=own_network).fit(*table())
    plain = EnsembleRegressor("deep_ensemble", **QUICK, network=own_network)
    X = table()[0]
    expected = plain.fit(*table()).predict(X)
    np.testing.assert_allclose(model.predict(X), expected, rtol=1e-9, atol=1e-9)
    assert model.centre_ is not None


def test_intervals_are_calibrated_about_the_centre() -> None:
    X, y = table(400)
    settings = CENTRED | {"validation_fraction": 0.5}
    model = EnsembleRegressor(**settings).fit(X, y)
    held_out = model.held_out_rows_
    low, high = model.predict_interval(X[held_out], 0.9)
    # By construction: the 181st of 200 factors just holds its row.
    held = ((low <= y[held_out]) & (y[held_out] <= high)).mean()
    assert held == pytest.approx(181 / 200, abs=1 / 200 + 1e-9)
