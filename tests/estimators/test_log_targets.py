"""`target_transform="log"`: everything is said in the units of y."""

import numpy as np
import pandas as pd
import pytest

import antireg
from antireg import EnsembleClassifier, EnsembleRegressor, LogNormalMixture
from antireg.cli import main
from antireg.estimators import saving
from antireg.onnx.export import to_onnx
from tests.doubtful_models import FAR, SETTINGS, curved
from tests.onnx.running import run_model
from tests.small_models import SMALL, rows


def amounts():
    X, y = curved()
    return X, np.exp(0.1 * y)


@pytest.fixture(scope="module")
def pair():
    """Return a model of amounts, and one of their logarithms."""
    X, y = amounts()
    model = EnsembleRegressor(**SETTINGS, target_transform="log").fit(X, y)
    return model, EnsembleRegressor(**SETTINGS).fit(X, np.log(y))


def test_what_is_said_of_amounts_follows_from_their_logarithms(pair):
    model, logs = pair
    X = np.concatenate([amounts()[0][:50], 1.2 * amounts()[0][:50]])
    predictive, of_logs = model.predictive(X), logs.predictive(X)
    assert isinstance(predictive, LogNormalMixture)
    np.testing.assert_array_equal(predictive.logs.means, of_logs.means)
    limits = predictive.limits
    assert (of_logs.means < limits.mean).all()
    assert (of_logs.variances < limits.variance).all()
    mean, std = model.predict(X, return_std=True)
    # Σ w exp(μ + σ²/2), the constant of doubt included.
    means = np.exp(of_logs.means + of_logs.variances / 2)
    expected = (of_logs.weights * means).sum(axis=0)[:, 0]
    np.testing.assert_allclose(mean, expected, rtol=1e-9)
    second = np.exp(2 * of_logs.means + 2 * of_logs.variances)
    second = (of_logs.weights * second).sum(axis=0)[:, 0]
    np.testing.assert_allclose(std**2, second - expected**2, rtol=1e-6)
    assert of_logs.weights[-1].max() > 0.01  # doubt has a part in some of it
    for coverage in (0.5, 0.9):
        ends = model.predict_interval(X, coverage)
        np.testing.assert_allclose(
            np.log(ends), logs.predict_interval(X, coverage), rtol=1e-9
        )
    X = np.concatenate([X, FAR])
    np.testing.assert_array_equal(model.is_ood(X), logs.is_ood(X))
    np.testing.assert_array_equal(model.doubt(X), logs.doubt(X))


def test_intervals_of_amounts_cover_as_often_as_asked(pair):
    X, y = curved(600, seed=3)
    low, high = pair[0].predict_interval(X, 0.9)
    # 600 rows, and as many in calibration: ± 3 · √(2 · 0.9 · 0.1 / 600) = 0.05.
    assert np.mean((low <= np.exp(0.1 * y)) & (np.exp(0.1 * y) <= high)) > 0.85


def test_far_away_the_answer_is_that_of_all_amounts(pair):
    model, y = pair[0], amounts()[1]
    assert model.doubt(FAR).min() > 0.9
    mean, std = model.predict(FAR, return_std=True)
    assert ((mean > y.min()) & (mean < y.max())).all()
    assert (std > y.std() / 2).all()
    low, high = model.predict_interval(FAR)
    assert (low > 0).all()
    assert (high > np.quantile(y, 0.9)).all()


def test_it_is_stored_in_a_format_that_knows_it(pair, tmp_path):
    model, X = pair[0], amounts()[0]
    model.save(tmp_path / "model")
    again = antireg.load(tmp_path / "model")
    assert again.target_transform == again.target_transform_ == "log"
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert saving.described(model)[0]["format"] >= saving.WITH_LOGARITHMS


def test_the_graph_says_amounts_too(pair, tmp_path):
    import onnx  # noqa: PLC0415

    model = pair[0]
    X = np.concatenate([amounts()[0][:200], FAR]).astype(np.float32)
    to_onnx(model, tmp_path / "model.onnx")
    found = run_model(onnx.load(tmp_path / "model.onnx"), X=X)
    mean, std = model.predict(X, return_std=True)
    low, high = model.predict_interval(X)
    for name, value in {"mean": mean, "std": std, "low": low, "high": high}.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-3)


def test_targets_at_or_below_zero_are_said():
    X, y = rows()
    with pytest.raises(ValueError, match=r"y must be above 0 .*got -.* in row \d+"):
        EnsembleRegressor(**SMALL, target_transform="log").fit(X, y)


def test_classes_have_no_logarithm():
    X, y = rows()
    with pytest.raises(ValueError, match='None, or "log" for a regressor, got'):
        EnsembleClassifier(**SMALL, target_transform="log").fit(X, y > 0)


def test_the_command_line_has_it_too(tmp_path, capsys):
    X, y = amounts()
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(price=y)
    frame.to_csv(tmp_path / "t.csv", index=False)
    command = ["fit", tmp_path / "t.csv", "--target", "price", "--log-target"]
    command += ["--method", "deep_ensemble", "--n-members", "2", "--epochs", "20"]
    command += ["--random-state", "0", "--doubt", "none", "--out", tmp_path / "model"]
    assert main([str(part) for part in command]) == 0
    model = antireg.load(tmp_path / "model")
    assert model.target_transform_ == "log"
    nll = -model.predictive(X).log_density(y[:, None]).mean()
    capsys.readouterr()
    command = ["evaluate", tmp_path / "model", tmp_path / "t.csv", "--quiet", "--json"]
    assert main([str(part) for part in command]) == 0
    assert f'"nll": {nll:.3f}'[:-1] in capsys.readouterr().out
