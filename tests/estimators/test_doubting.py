"""What a model with doubt answers, and that it is an estimator like any other."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from antireg import EnsembleClassifier, EnsembleRegressor, load
from antireg.estimators.doubting import Said
from antireg.methods import METHODS
from tests.doubtful_models import FAR, SETTINGS, classes, classifier, curved, regressor


def test_far_away_the_answer_is_what_one_would_say_without_looking():
    model, (_, y) = regressor(), curved()
    trained = np.delete(y, model.held_out_rows_)
    assert model.doubt(FAR).min() > 0.9
    assert model.is_ood(FAR).all()
    mean, std = model.predict(FAR, return_std=True)
    np.testing.assert_allclose(mean, trained.mean(), atol=0.3 * y.std())
    low, high = model.predict_interval(FAR)
    assert np.all(low < np.quantile(y, 0.1))
    assert np.all(high > np.quantile(y, 0.9))
    assert np.all(std > 0.5 * y.std())


@pytest.mark.parametrize("method", METHODS)
def test_however_far_away_no_answer_is_wild(method):
    _, y = curved()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it trains for a moment
        model = regressor(method=method)
    ray = 10.0 ** np.arange(1, 13, dtype=float)[:, None] * np.array([[1.0, -1.0, 1.0]])
    mean, std = model.predict(ray, return_std=True)
    assert np.all(np.abs(mean - y.mean()) < 3 * y.std())
    assert np.all(std < 6 * y.std())
    assert std[-1] == pytest.approx(y.std(), rel=0.5)
    assert np.all(np.diff(model.doubt(ray)) >= 0)


def test_most_rows_like_the_training_rows_are_not_doubted():
    X, y = curved(seed=1)
    model, plain = regressor(), regressor(doubt=None)
    assert np.mean(model.doubt(X) == 0) > 0.8
    error, before = (np.abs(m.predict(X) - y).mean() for m in (model, plain))
    assert error < 1.1 * before


def test_the_members_and_the_scores_by_name_are_those_without_doubt():
    X, _ = curved(seed=1)
    for make in (regressor, classifier):
        model, plain = make(), make(doubt=None, bins=32)
        np.testing.assert_array_equal(model.outputs(X), plain.outputs(X))
        for kind in ("total", "epistemic"):
            np.testing.assert_array_equal(
                model.ood_score(X, kind=kind), plain.ood_score(X, kind=kind)
            )
        np.testing.assert_array_equal(plain.ood_score(X), plain.ood_score(X, "total"))
        assert plain.doubt(X).tolist() == [0.0] * len(X)


def test_classes_far_away_have_their_frequencies():
    model, (_, labels) = classifier(), classes()
    trained = np.delete(labels, model.held_out_rows_)
    shares = [(trained == name).mean() for name in model.classes_]
    w = model.doubt(FAR)[:, None]
    assert w.min() > 0.9
    found = model.predict_proba(FAR)
    np.testing.assert_allclose(found, np.tile(shares, (2, 1)), atol=1 - w.min() + 1e-9)
    assert model.is_ood(FAR).all()
    np.testing.assert_allclose(model.predictive(FAR).mean, found, rtol=1e-12)


def two_targets(n_rows=600, seed=0):
    """Return rows and two targets, of other columns and in other units."""
    X, y = curved(n_rows, seed)
    noise = np.random.default_rng([seed, 1]).normal(size=n_rows)
    return X, np.stack([y, 1e3 * (noise - X[:, 1] + 0.3 * X[:, 2])], axis=1)


def test_intervals_of_two_targets_cover_each_inside_and_hold_its_spread_far_away():
    X, y = two_targets(3000, seed=100)
    covered = []
    for seed in range(5):
        model = EnsembleRegressor(**SETTINGS | {"random_state": seed})
        model.fit(*two_targets(seed=seed))
        assert (model.doubt(X) == 0).mean() > 0.8
        ends = [model.predict_interval(X, level) for level in (0.5, 0.9)]
        covered.append([((low <= y) & (y <= high)).mean(axis=0) for low, high in ends])

        assert model.doubt(FAR).min() > 0.9
        mean, std = model.predict(FAR, return_std=True)
        assert (np.abs(mean - y.mean(axis=0)) < 0.5 * y.std(axis=0)).all()
        assert (std > 0.5 * y.std(axis=0)).all()
        assert (std < 3 * y.std(axis=0)).all()
        low, high = model.predict_interval(FAR, 0.9)
        assert (low < np.quantile(y, 0.1, axis=0)).all()
        assert (high > np.quantile(y, 0.9, axis=0)).all()
    for found, level in zip(np.mean(covered, axis=0), (0.5, 0.9), strict=True):
        # Widths are learned from 168 rows that members were not trained on: three
        # deviations of a mean over five fits.
        near = 3 * (level * (1 - level) / len(model.held_out_scores_) / 5) ** 0.5
        assert found == pytest.approx(level, abs=near)


def test_one_pass_says_what_all_the_others_say():
    X = np.concatenate([curved(50, seed=2)[0], FAR])
    for model in (regressor(), classifier()):
        said = model.said(X)
        np.testing.assert_allclose(model.score_of(said), model.ood_score(X), rtol=1e-6)
        predictive = model.predictive_of(said)
        mean = model.predictive(X).mean
        np.testing.assert_allclose(predictive.mean, mean, rtol=1e-6)
        doubt = model.weight_of(said)
        np.testing.assert_allclose(doubt, model.doubt(X), rtol=1e-6, atol=1e-12)
        assert 0 < np.count_nonzero(doubt) < len(X)
        for rate in (0.05, 0.5):
            flags = model.score_of(said) > model.ood_threshold(rate)
            np.testing.assert_array_equal(flags, model.is_ood(X, rate))
            assert 0 < flags.sum() < len(X)
    said = regressor().predictive(X)
    np.testing.assert_allclose(said.mean[:, 0], regressor().predict(X), rtol=1e-6)
    assert said.weights is not None


def test_the_threshold_raises_about_as_many_false_alarms_as_asked():
    X, _ = curved(3000, seed=3)
    for make in (regressor, classifier):
        models = [make(random_state=seed) for seed in range(3)]
        rates = [model.is_ood(X, false_alarm_rate=0.2).mean() for model in models]
        assert np.mean(rates) == pytest.approx(0.2, abs=0.1)


def test_the_setting_is_a_setting_and_the_method_a_method():
    model = EnsembleRegressor(doubt="rehearsed")
    assert model.get_params()["doubt"] == "rehearsed"
    assert clone(model).get_params()["doubt"] == "rehearsed"
    assert model.set_params(doubt=None).get_params()["doubt"] is None
    assert "doubt=None" in repr(model)
    with pytest.raises(ValueError, match='"prototypes" or None, got True'):
        EnsembleRegressor(doubt=True).fit(*curved(50))


@pytest.mark.filterwarnings("ignore")
def test_a_search_may_go_over_it():
    X, y = curved(150)
    model = EnsembleRegressor(**SETTINGS | {"epochs": 2})
    search = GridSearchCV(model, {"doubt": [None, "rehearsed"]}, cv=2).fit(X, y)
    assert len(search.cv_results_["params"]) == 2
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("make", [regressor, classifier])
def test_a_model_from_a_file_or_a_pickle_says_the_same(make, tmp_path):
    model, X = make(), np.concatenate([curved(50, seed=4)[0], FAR])
    model.save(tmp_path / "model")
    for other in (load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        assert other.get_params()["doubt"] == "rehearsed"
        np.testing.assert_allclose(other.doubt(X), model.doubt(X), atol=1e-6)
        np.testing.assert_allclose(other.ood_score(X), model.ood_score(X), rtol=1e-5)
        np.testing.assert_array_equal(other.is_ood(X), model.is_ood(X))
        if make is regressor:
            for found, known in zip(
                other.predict_interval(X), model.predict_interval(X), strict=True
            ):
                np.testing.assert_allclose(found, known, rtol=1e-5)
        else:
            np.testing.assert_allclose(
                other.predict_proba(X), model.predict_proba(X), atol=1e-6
            )


@pytest.mark.filterwarnings("ignore:DARE")
def test_classifiers_by_squared_error_doubt_too():
    model = classifier(method="dare", loss="squared_error")
    assert model.doubt(FAR).min() > 0.9
    two = EnsembleClassifier(**SETTINGS | {"method": "dare", "epochs": 5})
    X, y = curved()
    two.fit(X, y > 50)
    np.testing.assert_allclose(two.predict_proba(FAR).sum(axis=1), 1)


@pytest.mark.parametrize("make", [regressor, classifier])
def test_prototypes_hold_no_training_row_and_no_value_of_one(make, tmp_path):
    model, (X, _) = make(doubt="prototypes"), curved()
    seen = model.scaling_.scaled(X).astype(np.float32)
    reference = model.doubt_.signalling.reference.inputs
    assert 10 < len(reference) <= len(X) / 10
    for column in range(X.shape[1]):
        assert not np.isin(reference[:, column], seen[:, column]).any()
        values = model.doubt_.signalling.memories["columns"]["values"][:, column]
        assert not np.isin(values.astype(np.float32), seen[:, column]).any()
    assert model.doubt(FAR).min() > 0.9
    assert model.is_ood(FAR).all()
    assert model.is_ood(curved(seed=1)[0]).mean() < 0.15
    model.save(tmp_path / "model")
    other = load(tmp_path / "model")
    np.testing.assert_allclose(other.ood_score(X), model.ood_score(X), rtol=1e-5)
    assert other.get_params()["doubt"] == "prototypes"


@pytest.mark.parametrize("make", [regressor, classifier])
def test_outputs_are_not_what_was_said(make):
    model = make()
    with pytest.raises(TypeError, match=r"got ndarray\. .*model\.said\(X\)\.alone"):
        model.predictive_of(model.outputs(FAR))
    for of in (model.score_of, model.weight_of):
        with pytest.raises(TypeError, match="got ndarray"):
            of(model.outputs(FAR))


@pytest.mark.parametrize("n_lines", [0, 2])
def test_what_was_said_is_taken_apart_as_it_was_put_together(n_lines):
    rng = np.random.default_rng(0)
    on_line = rng.normal(size=(5, n_lines)) if n_lines else None
    said = Said(rng.normal(size=(3, 5, 4)), *rng.normal(size=(2, 5)), on_line)
    again = Said.taken_apart(said.side_by_side(), n_lines)
    for one, other in zip(said, again, strict=True):
        np.testing.assert_array_equal(one, other)
