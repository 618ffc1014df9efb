"""What users of both estimators rely on."""

import pickle
import warnings
from traceback import extract_stack
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import nn

from antireg import (
    DARE,
    METHODS,
    DeepEnsemble,
    EnsembleClassifier,
    EnsembleRegressor,
)
from antireg.history import Epoch
from tests.small_tables import QUICK, SMALL, labelled, table, unfinished_is_fine

pytestmark = unfinished_is_fine


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
    model = EnsembleRegressor(DARE(delta=0.5), **QUICK, robust=False).fit(X, y)
    (reference, reference_history), (dare, dare_history) = model.trials_
    loss = reference_history.kept_validation_loss.mean()
    assert isinstance(reference, DeepEnsemble)
    assert model.threshold_ == pytest.approx(loss + 0.5 * abs(loss))
    assert dare == model.method_
    assert np.array_equal(dare_history.loss, model.history_.loss)
    assert model.history_.loss.shape == (3, 2)


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
    assert "fit 2 (DARE): 100%" in capsys.readouterr().err


def test_steps_become_whole_epochs_ten_at_least() -> None:
    X, y = table()  # 108 rows after the hold-out
    settings = {**QUICK, "epochs": None, "batch_size": 36}
    model = EnsembleRegressor("deep_ensemble", steps=40, **settings).fit(X, y)
    assert model.history_.n_epochs == 14
    model = EnsembleRegressor("deep_ensemble", steps=1, **settings).fit(X, y)
    assert model.history_.n_epochs == 10


def test_pickle_gives_the_same_model() -> None:
    X, y = labelled()
    model = EnsembleClassifier(**QUICK).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


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
    with pytest.raises(ValueError, match=r"must be a tuple \(X, y\).* got ndarray"):
        EnsembleRegressor(**QUICK).fit(X, y, validation_data=X)


def test_fewer_rows_than_members_still_fit() -> None:
    X, y = table(4)
    model = EnsembleRegressor(**{**QUICK, "n_members": 7}).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert model.is_ood(X).shape == (4,)


def test_the_held_out_rows_are_said_by_their_places() -> None:
    X, y = table()
    weight = np.ones(len(X))
    weight[:60] = 0
    model = EnsembleRegressor(**QUICK).fit(X, y, sample_weight=weight)
    rows = model.held_out_rows_
    assert len(rows) == 6
    assert rows.min() >= 60
    apart = model.held_out_scores_ - model.ood_score(X[rows])[:, None]
    np.testing.assert_array_less(np.abs(apart).min(axis=1), 1e-5)
    assert model.fit(X, y, validation_data=(X, y)).held_out_rows_ is None


def test_divergence_is_an_error_not_a_prediction() -> None:
    X, y = table()
    with pytest.raises(ValueError, match=r"diverged: member .* epoch"):
        EnsembleRegressor(**{**QUICK, "lr": 1e20}).fit(X, y)


def test_fitting_leaves_the_given_method_alone() -> None:
    method = DARE()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        EnsembleRegressor(method, **QUICK).fit(*table())
    assert method == DARE(threshold="auto")


def test_a_rare_row_of_great_weight_counts_for_what_it_says() -> None:
    rng = np.random.default_rng(0)
    rare = rng.random(3000) < 0.01
    X, y = np.zeros((3000, 1)), rare.astype(float)
    weight = np.where(rare, 1000.0, 1.0)
    settings = {**SMALL, "scaling": "none", "batch_size": 32, "epochs": 10}
    model = EnsembleRegressor("deep_ensemble", loss="squared_error", **settings)
    predicted = model.fit(X, y, sample_weight=weight).predict(X[:1])[0]
    assert predicted == pytest.approx(np.average(y, weights=weight), abs=0.15)


def test_validation_rows_are_never_trained_on() -> None:
    X, y = table()
    held_X, held_y = table(40, seed=1)
    losses = [
        EnsembleRegressor("deep_ensemble", **QUICK)
        .fit(X, y, validation_data=(held_X, held_y + off))
        .history_.loss
        for off in (0.0, 100.0)
    ]
    assert np.array_equal(*losses)


class Looks(DeepEnsemble):
    """A method that remembers who called, at its first step."""

    way: ClassVar[list[str]] = []

    def control(self, fit):
        if not self.way:
            ours = [f for f in extract_stack() if "/antireg/" in f.filename]
            self.way.extend(frame.name for frame in ours)
        return super().control(fit)


def test_the_way_of_a_row_is_short() -> None:
    EnsembleRegressor(Looks(), **QUICK).fit(*table())
    # Five calls lead from `fit` to where the first product is.
    steps = ["fit", "_train", "run", "__call__", "run_epoch", "_step_by_closed_form"]
    assert Looks.way == steps
