"""What users of the two estimators rely on."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from torch import nn

from antireg import (
    DARE,
    METHODS,
    DeepEnsemble,
    EnsembleClassifier,
    EnsembleRegressor,
    Repulsive,
)
from antireg.history import Epoch

SMALL = {"n_members": 2, "hidden": (16,), "epochs": 30, "lr": 1e-2, "random_state": 0}
QUICK = {**SMALL, "epochs": 3}

pytestmark = pytest.mark.filterwarnings(
    "ignore:DARE:sklearn.exceptions.ConvergenceWarning"
)


def table(n_rows: int = 120, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, 10 + 3 * X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=n_rows)


def labelled(n_rows: int = 150, n_classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % n_classes
    centres = 4 * rng.normal(size=(n_classes, 3))
    return centres[y] + rng.normal(size=(n_rows, 3)), np.array(["a", "b", "c"])[y]


REASON = (
    "Weights of rows act on the loss of random mini-batches and of a random hold-out: "
    "a row of weight 2 is not met exactly like two rows, as for all stochastic "
    "estimators of scikit-learn."
)


def excused(estimator: object) -> dict[str, str]:
    return {
        "check_sample_weight_equivalence_on_dense_data": REASON,
        "check_sample_weight_equivalence_on_sparse_data": REASON,
    }


@pytest.mark.filterwarnings("ignore:.*held-out scores are too few:UserWarning")
@parametrize_with_checks(
    [
        EnsembleRegressor(**SMALL),
        EnsembleClassifier(**SMALL),
    ],
    expected_failed_checks=excused,
)
def test_scikit_learns_contract(estimator, check) -> None:
    check(estimator)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("make", [EnsembleRegressor, EnsembleClassifier])
def test_every_method_fits_by_name_and_predicts_finite_numbers(make, name: str) -> None:
    X, y = table() if make is EnsembleRegressor else labelled()
    model = make(name, validation_fraction=0.3, **QUICK).fit(X, y)
    far = np.vstack([X[:5], 1e6 * X[:5], np.full((1, 3), 1e300)])
    assert np.isfinite(model.ood_score(far)).all()
    assert np.isfinite(model.ood_score(far, kind="epistemic")).all()
    assert model.is_ood(far).dtype == bool
    assert "auto" not in model.method_.get_params().values()
    if make is EnsembleRegressor:
        mean, std = model.predict(far, return_std=True)
        low, high = model.predict_interval(far, coverage=0.8)
        assert np.isfinite([mean, std, low, high]).all()
        assert (low <= high).all()
        assert (std > 0).all()
    else:
        np.testing.assert_allclose(model.predict_proba(far).sum(axis=1), 1)
        assert set(model.predict(far)) <= set("abc")


def test_regression_is_right_and_calibrated_on_an_easy_table() -> None:
    X, y = table(600)
    model = EnsembleRegressor("deep_ensemble", **SMALL).fit(X, y)
    X_new, y_new = table(300, seed=1)
    low, high = model.predict_interval(X_new, coverage=0.9)
    assert model.score(X_new, y_new) > 0.98
    assert 0.8 < ((low <= y_new) & (y_new <= high)).mean() <= 1


def test_default_settings_are_dares_and_take_its_settings_by_name() -> None:
    model = EnsembleRegressor()
    assert model.get_params()["method__delta"] == 0.25
    model.set_params(method__delta=0.5)
    assert model.method == DARE(delta=0.5)
    assert clone(model).method == DARE(delta=0.5)


def test_grid_search_reaches_into_the_method() -> None:
    X, y = table()
    search = GridSearchCV(
        EnsembleRegressor(**QUICK), {"method__delta": [0.1, 0.5]}, cv=2
    ).fit(X, y)
    assert search.best_params_["method__delta"] in (0.1, 0.5)


def test_pipelines_and_cross_validation_work() -> None:
    X, y = labelled()
    model = make_pipeline(
        StandardScaler(), EnsembleClassifier("deep_ensemble", **SMALL)
    )
    assert cross_val_score(model, X, y, cv=2).mean() > 0.8


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_names_and_are_checked_at_predict(frame) -> None:
    X, y = table()
    columns = frame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]})
    model = EnsembleRegressor(**QUICK).fit(columns, y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame({"a": X[:, 0], "c": X[:, 1], "b": X[:, 2]}))


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


@pytest.mark.parametrize("make", [EnsembleRegressor, EnsembleClassifier])
def test_same_seed_same_numbers_and_another_seed_others(make) -> None:
    X, y = table() if make is EnsembleRegressor else labelled()
    scores = [
        make(**{**QUICK, "random_state": seed}).fit(X, y).ood_score(X)
        for seed in (0, 0, 1)
    ]
    assert np.array_equal(scores[0], scores[1])
    assert not np.array_equal(scores[0], scores[2])


def test_auto_threshold_follows_the_reference() -> None:
    X, y = table()
    model = EnsembleRegressor(DARE(delta=0.5), **QUICK).fit(X, y)
    (reference, reference_history), (dare, dare_history) = model.trials_
    loss = reference_history.kept_validation_loss.mean()
    assert isinstance(reference, DeepEnsemble)
    assert model.threshold_ == pytest.approx(loss + 0.5 * abs(loss))
    assert dare == model.method_
    assert dare_history is model.history_
    assert model.history_.loss.shape == (3, 2)


def test_methods_without_a_threshold_have_none() -> None:
    model = EnsembleRegressor("repulsive", **QUICK).fit(*table())
    assert not hasattr(model, "threshold_")
    assert isinstance(model.method_, Repulsive)


def test_training_that_did_not_finish_warns_once_in_plain_words() -> None:
    X, y = table()
    with pytest.warns(ConvergenceWarning, match="DARE") as caught:
        EnsembleRegressor(DARE(threshold=-50.0), **QUICK).fit(X, y)
    assert len([w for w in caught if w.category is ConvergenceWarning]) == 1


def test_validation_data_are_used_and_never_trained_on() -> None:
    X, y = table()
    X_val, y_val = table(40, seed=1)
    model = EnsembleRegressor(**QUICK).fit(X, y, validation_data=(X_val, y_val))
    assert len(model.held_out_scores_) == 40
    np.testing.assert_allclose(
        model.held_out_scores_, np.sort(model.ood_score(X_val)), rtol=1e-5
    )
    weighted = (X_val, y_val, np.ones(40))
    again = EnsembleRegressor(**QUICK).fit(X, y, validation_data=weighted)
    np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-4)


def test_rows_of_no_weight_are_left_out() -> None:
    X, y = table()
    wrong = np.where(np.arange(120) < 40, 1e6, y)
    weight = (np.arange(120) >= 40).astype(float)
    with_zeros = EnsembleRegressor(**QUICK).fit(X, wrong, sample_weight=weight)
    without = EnsembleRegressor(**QUICK).fit(X[40:], y[40:], sample_weight=weight[40:])
    assert np.array_equal(with_zeros.predict(X), without.predict(X))


def test_weight_moves_the_fit() -> None:
    X = np.zeros((200, 1))
    y = np.repeat([0.0, 1.0], 100)
    weight = np.repeat([1.0, 9.0], 100)
    model = EnsembleRegressor("deep_ensemble", **SMALL).fit(X, y, sample_weight=weight)
    # The weighted mean is 0.9, the plain one 0.5.
    assert model.predict(X[:1])[0] > 0.75


def test_false_alarm_rate_is_chosen_at_fit_or_at_prediction() -> None:
    X, y = table(600)
    model = EnsembleRegressor(**{**QUICK, "validation_fraction": 0.3}).fit(X, y)
    rates = [model.is_ood(X, false_alarm_rate=rate).mean() for rate in (0.01, 0.1, 0.5)]
    assert rates == sorted(rates)
    assert rates[-1] == pytest.approx(0.5, abs=0.15)


def test_any_network_trains_with_any_method() -> None:
    X, y = table()

    def network(n_inputs: int, n_outputs: int) -> nn.Module:
        return nn.Sequential(
            nn.Linear(n_inputs, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, n_outputs)
        )

    for name in METHODS:
        model = EnsembleRegressor(name, network=network, **QUICK).fit(X, y)
        assert np.isfinite(model.predict(X)).all()
    model = EnsembleRegressor(network=network(3, 2), **QUICK).fit(X, y)
    assert model.network_.n_members == 2


def test_a_network_of_the_users_learns() -> None:
    X, y = table()
    own = EnsembleRegressor(
        "deep_ensemble",
        network=lambda i, o: nn.Sequential(
            nn.Linear(i, 16), nn.ReLU(), nn.Linear(16, o)
        ),
        **{**SMALL, "epochs": 60},
    ).fit(X, y)
    assert own.score(X, y) > 0.95


def test_callbacks_run_and_verbose_shows_a_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    X, y = table()
    epochs: list[Epoch] = []
    EnsembleRegressor(callbacks=[epochs.append], verbose=True, **QUICK).fit(X, y)
    assert [epoch.number for epoch in epochs] == [1, 2, 3, 1, 2, 3]
    assert "fit 2: 100%" in capsys.readouterr().err


def test_steps_become_whole_epochs_ten_at_least() -> None:
    X, y = table()  # 108 rows after the hold-out
    settings = {**QUICK, "epochs": None, "batch_size": 36}
    model = EnsembleRegressor("deep_ensemble", steps=40, **settings).fit(X, y)
    assert model.history_.n_epochs == 14
    model = EnsembleRegressor("deep_ensemble", steps=1, **settings).fit(X, y)
    assert model.history_.n_epochs == 10


def test_long_inputs_are_predicted_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = table()
    model = EnsembleRegressor(**QUICK).fit(X, y)
    whole = model.predict(X)
    monkeypatch.setattr("antireg.inference.CHUNK_NUMBERS", 30)
    np.testing.assert_allclose(model.predict(X), whole, rtol=1e-6)


def test_pickle_gives_the_same_model() -> None:
    X, y = labelled()
    model = EnsembleClassifier(**QUICK).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    ("loss", "n_classes", "outputs"),
    [
        ("auto", 3, 3),
        ("auto", 2, 1),
        ("one_hot_squared_error", 2, 2),
        ("cross_entropy", 3, 3),
        ("cross_entropy", 2, 1),
    ],
)
def test_every_classification_loss_learns(
    loss: str, n_classes: int, outputs: int
) -> None:
    X, y = labelled(n_classes=n_classes)
    model = EnsembleClassifier(loss=loss, **SMALL).fit(X, y)
    assert model.score(X, y) > 0.85
    assert model.network_(torch.zeros(1, 3)).shape[-1] == outputs
    assert np.array_equal(
        model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X)
    )


def test_the_label_is_the_arg_max_of_the_member_mean() -> None:
    X, y = labelled()
    model = EnsembleClassifier(**QUICK).fit(X, y)
    means = model._outputs(X).mean(axis=0)
    assert np.array_equal(model.predict(X), model.classes_[means.argmax(axis=1)])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_members": 0}, "n_members must be a whole number, 1 or more, got 0"),
        ({"hidden": (10, 0)}, r"hidden must be .* got \(10, 0\)"),
        ({"hidden": 10}, "hidden must be .* got 10"),
        ({"activation": "swish"}, "activation must be one of relu.* got 'swish'"),
        ({"scaling": "minmax"}, "scaling must be one of none.* got 'minmax'"),
        ({"lr": 0.0}, "lr must be more than 0, got 0.0"),
        ({"epochs": 0}, "epochs must be None or a whole number"),
        ({"steps": 2.5}, "steps must be a whole number"),
        ({"validation_fraction": 1.0}, "validation_fraction must be between 0 and 1"),
        ({"false_alarm_rate": 5}, "false_alarm_rate must be between 0 and 1, got 5"),
        ({"method": "bagging"}, "method must be a Method or one of dare"),
        ({"loss": "hinge"}, "loss must be one of gaussian_nll, squared_error"),
        ({"method": DARE(threshold="low")}, "threshold must be a number or"),
        ({"method": DARE(delta=-1.0)}, "delta must be 0 or more, got -1"),
        ({"method": "mod", "method__strength": "high"}, "strength must be a number or"),
    ],
)
def test_settings_that_cannot_work_are_named(settings: dict, message: str) -> None:
    X, y = table(20)
    model = EnsembleRegressor(**QUICK).set_params(**settings)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_binary_squared_error_needs_two_classes() -> None:
    with pytest.raises(ValueError, match="needs two classes, got 3"):
        EnsembleClassifier(loss="binary_squared_error", **QUICK).fit(*labelled())


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_inputs_that_are_not_finite_are_refused(bad: float) -> None:
    X, y = table()
    model = EnsembleRegressor(**QUICK).fit(X, y)
    X[3, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        model.predict(X)
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        model.fit(X, y)


def test_wrong_column_counts_are_refused() -> None:
    X, y = table()
    model = EnsembleRegressor(**QUICK).fit(X, y)
    with pytest.raises(ValueError, match=r"2 features, but .* is expecting 3"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="2 features"):
        model.fit(X, y, validation_data=(X[:, :2], y))
    with pytest.raises(ValueError, match="must have 1 target columns like y, got 2"):
        model.fit(X, y, validation_data=(X, np.column_stack([y, y])))


def test_validation_data_must_be_a_tuple() -> None:
    X, y = table()
    with pytest.raises(ValueError, match=r"must be \(X, y\).* got ndarray"):
        EnsembleRegressor(**QUICK).fit(X, y, validation_data=X)


def test_unseen_classes_in_validation_data_are_named() -> None:
    X, y = labelled(n_classes=2)
    with pytest.raises(ValueError, match=r"only classes of y, got \['c'\]"):
        EnsembleClassifier(**QUICK).fit(
            X, y, validation_data=(X, np.where(y == "a", "c", y))
        )


def test_one_class_is_refused() -> None:
    X, _ = labelled()
    with pytest.raises(ValueError, match="at least two classes, got one class"):
        EnsembleClassifier(**QUICK).fit(X, np.zeros(len(X)))


def test_weights_must_count() -> None:
    X, y = table()
    with pytest.raises(ValueError, match=r"sample_weight must be 0 or more.* -1"):
        EnsembleRegressor(**QUICK).fit(X, y, sample_weight=-np.ones(120))
    with pytest.raises(ValueError, match="at least one non-zero"):
        EnsembleRegressor(**QUICK).fit(X, y, sample_weight=np.zeros(120))
    X, y = labelled(n_classes=2)
    with pytest.raises(ValueError, match="weight > 0"):
        EnsembleClassifier(**QUICK).fit(X, y, sample_weight=(y == "a").astype(float))


@pytest.mark.filterwarnings("ignore:.*held-out scores are too few:UserWarning")
def test_fewer_rows_than_members_still_fit() -> None:
    X, y = table(4)
    model = EnsembleRegressor(**{**QUICK, "n_members": 7}).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert model.is_ood(X).shape == (4,)


def test_constant_columns_and_targets_are_fine() -> None:
    X, _ = table()
    X[:, 1] = 7.0
    model = EnsembleRegressor(**QUICK).fit(X, np.full(120, 42.0))
    mean, std = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean, 42.0, rtol=1e-5)
    assert (std < 1e-3).all()


def test_divergence_is_an_error_not_a_prediction() -> None:
    X, y = table()
    with pytest.raises(ValueError, match=r"diverged: member .* epoch"):
        EnsembleRegressor(**{**QUICK, "lr": 1e20}).fit(X, y)


def test_unfitted_models_say_so() -> None:
    for ask in ("predict", "ood_score", "is_ood", "predictive"):
        with pytest.raises(NotFittedError):
            getattr(EnsembleRegressor(), ask)(np.zeros((1, 3)))
    with pytest.raises(NotFittedError):
        EnsembleRegressor().threshold_  # noqa: B018


def test_unknown_kinds_of_score_are_refused() -> None:
    model = EnsembleRegressor(**QUICK).fit(*table())
    with pytest.raises(ValueError, match='kind must be "total" or "epistemic", got'):
        model.ood_score(np.zeros((1, 3)), kind="aleatoric")


def test_fitting_leaves_the_given_method_alone() -> None:
    method = DARE()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        EnsembleRegressor(method, **QUICK).fit(*table())
    assert method == DARE(threshold="auto")
