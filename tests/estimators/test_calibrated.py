import warnings

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.exceptions import NotFittedError

from antireg import EnsembleClassifier, EnsembleRegressor
from antireg.estimators.doubting import Said
from antireg.estimators.unseen import Unseen
from antireg.losses import CrossEntropy, SquaredError
from antireg.rows.scaling import fit_scaling
from tests.small_tables import QUICK, table, unfinished_is_fine

pytestmark = unfinished_is_fine


def test_outputs_of_members_trained_elsewhere_are_enough_for_a_regressor() -> None:
    model = EnsembleRegressor(false_alarm_rate=0.4, doubt=None)
    model.loss_, model.flat_targets_ = SquaredError(), True
    model.robust_, model.scaled_by_ = False, "standard"
    model.target_scaling_ = fit_scaling("standard", np.array([[8.0], [12.0]]))
    # Scaled by mean 10 and deviation 2 the targets are 0, 1 and -1.
    outputs = np.array([[[1.0], [1.0], [-2.0]], [[0.0], [3.0], [-1.0]]])
    y = np.array([[10.0], [12.0], [8.0]])
    model._calibrate(Unseen(outputs, y, weight=np.array([1.0, 1.0, 2.0])))
    # Squared errors 1, 0, 1 and 0, 4, 0, by their weights.
    assert model.noise_[:, 0, 0].tolist() == [3 / 4, 1.0]
    # Mean noise 7/8, and the variance of two members: (difference / 2)².
    expected = np.sqrt(7 / 8 + np.array([0.25, 0.25, 1.0]))
    np.testing.assert_allclose(model.held_out_scores_, expected)
    mean = model.predictive_of(Said(outputs)).mean[:, 0]
    assert mean.tolist() == [11.0, 14.0, 7.0]


def test_outputs_of_members_trained_elsewhere_are_enough_for_a_classifier() -> None:
    model = EnsembleClassifier(false_alarm_rate=0.5, doubt=None)
    model.loss_, model.classes_ = CrossEntropy(), np.array(["a", "b"])
    outputs = np.log([[[0.5, 0.5], [0.9, 0.1]]])
    model._calibrate(Unseen(outputs, np.array(["a", "a"])))
    sure = -0.9 * np.log(0.9) - 0.1 * np.log(0.1)
    np.testing.assert_allclose(model.held_out_scores_, [sure, np.log(2)])


def test_false_alarm_rate_is_chosen_at_fit_or_at_prediction() -> None:
    X, y = table(600)
    model = EnsembleRegressor(**{**QUICK, "validation_fraction": 0.3}).fit(X, y)
    rates = [model.is_ood(X, false_alarm_rate=rate).mean() for rate in (0.01, 0.1, 0.5)]
    assert rates == sorted(rates)
    assert rates[-1] == pytest.approx(0.5, abs=0.15)


def test_too_few_held_out_rows_are_said_by_fit_and_only_there() -> None:
    X, y = table(12)
    with pytest.warns(UserWarning, match="12 held-out scores are too few") as caught:
        model = EnsembleRegressor(**QUICK).fit(X, y)
    assert caught[-1].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.is_ood(X)
    with pytest.warns(UserWarning, match="12 held-out scores are too few"):
        model.is_ood(X, false_alarm_rate=0.01)


def test_unfitted_models_say_so() -> None:
    for ask in ("predict", "ood_score", "is_ood", "predictive"):
        with pytest.raises(NotFittedError):
            getattr(EnsembleRegressor(doubt=None), ask)(np.zeros((1, 3)))


def test_unknown_kinds_of_score_are_refused() -> None:
    model = EnsembleRegressor(**QUICK).fit(*table())
    with pytest.raises(ValueError, match='kind must be "auto", "total" or'):
        model.ood_score(np.zeros((1, 3)), kind="aleatoric")


def test_validation_rows_of_no_weight_set_no_threshold() -> None:
    X, y = table()
    far = np.vstack([X[:30], 1e6 + X[:10]])
    weight = np.repeat([1.0, 0.0], [30, 10])
    model = EnsembleRegressor(**QUICK).fit(X, y, validation_data=(far, y[:40], weight))
    assert len(model.held_out_scores_) == 30


@pytest.mark.slow
def test_false_alarms_of_twenty_whole_fits_are_as_many_as_asked():
    """Twenty default fits of 500 rows, as a user makes them.

    50 validation and 80 left-out rows set each threshold: its rate has a deviation of
    √(.05 · .95 / 131) = 1.9 points, and the mean of twenty .43.
    """
    X, y = make_friedman1(6000, noise=1.0, random_state=0)
    rates = []
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(len(X))
        known, new = order[:500], order[500:]
        model = EnsembleRegressor(steps=1500, random_state=seed).fit(X[known], y[known])
        rates.append(model.is_ood(X[new]).mean())
    assert abs(np.mean(rates) - 0.05) < 0.015
