import numpy as np
import onnxruntime
import pytest

from antireg import EnsembleClassifier, EnsembleRegressor
from antireg.estimators.doubting import Said
from antireg.losses import CrossEntropy
from antireg.networks import ACTIVATIONS
from antireg.onnx import export
from antireg.predictive.intervals import IntervalFactors
from tests import doubtful_models
from tests.small_models import SMALL, classifier, own_network, regressor, rows

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.processor,
]


def far_and_near(n_rows=10_000):
    """Rows from the middle of the data to a million times as far, as float32."""
    rng = np.random.default_rng(3)
    distance = 10 ** rng.uniform(-1, 6, size=(n_rows, 1))
    return (rng.normal(size=(n_rows, 3)) * distance * [1, 1e6, 1e-3]).astype("float32")


def run(path, X, **inputs):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_outputs()]
    return dict(zip(names, session.run(None, inputs or {"X": X}), strict=True))


def rounding(model, X, network=None):
    """Return how far two programs' outputs may be apart, (members, rows, outputs).

    A sum of n products in float32 is off by at most n · 2⁻²⁴ times the sum of their
    sizes, in whatever order it is taken. Layer by layer, that is as many 2⁻²⁴ as there
    are operations on a way through the network, times what it puts out if nothing
    cancels. Far from the data nearly everything may.
    """
    network = model.network_ if network is None else network
    scaling, weights = model.scaling_, list(network.weights().values())
    size = np.abs(scaling.scaled(X.astype(float)))
    size, operations = size + np.abs(scaling.shift / scaling.scale), 2
    sizes = [np.abs(weight.detach().double().numpy()) for weight in weights]
    for kernel, bias in zip(sizes[::2], sizes[1::2], strict=True):
        # A sigmoid of 0 is ½; others are no larger than what they are taken of.
        size = np.maximum(size, 0.5) @ kernel + bias[:, None]
        operations += kernel.shape[1] + 2
    return 2 * operations * 2.0**-24 * size


def assert_close(found, expected, allowed=0.0):
    """Compare with 1e-4 of the value, and what is allowed besides."""
    np.testing.assert_array_less(
        np.abs(found - expected), 1e-4 * np.abs(expected) + allowed + 1e-12
    )


def assert_flags(found, model, X, allowed):
    scores, limit = model.ood_score(X), model.ood_threshold()
    sure = np.abs(scores - limit) > 1e-4 * limit + allowed
    np.testing.assert_array_equal(found[sure], model.is_ood(X)[sure])


def moved(model, X):
    """Return how far rounding moves any member's mean or quantile, (rows, targets).

    What moves no member by more moves no mean, quantile or deviation of their mixture
    by more. Quantiles asked for are within 8 deviations of some member's mean. Members
    that are shifted from their mean to their centre move with either besides.
    """
    outputs, off = model.outputs(X), rounding(model, X)
    n_targets = model.n_targets_
    scale = model.target_scaling_.scale
    of_means = off[..., :n_targets].max(0) * scale
    if model.centre_ is not None:
        of_centre = rounding(model, X, model.centre_)[..., :n_targets].max(0) * scale
        of_means = 2 * of_means + of_centre
    if outputs.shape[-1] == n_targets:
        return of_means
    # Deviations are e^{s/2}: they change by as much of themselves as s/2 changes.
    deviations = np.sqrt(model.predictive_of(Said(outputs)).variances)
    return of_means + 8 * (deviations * np.expm1(off[..., n_targets:] / 2)).max(0)


def assert_same_regression(model, path, X, coverage=0.9):
    found = run(path, X)
    mean, std = model.predict(X, return_std=True)
    low, high = model.predict_interval(X, coverage)
    expected = {"mean": mean, "std": std, "low": low, "high": high}
    allowed = moved(model, X)
    for name, values in expected.items():
        assert_close(found[name], values, allowed.reshape(values.shape))
    scaled = (allowed / model.target_scaling_.scale).max(1)
    assert_close(found["ood_score"], model.ood_score(X), scaled)
    assert_flags(found["flag"], model, X, scaled)


@pytest.mark.parametrize("loss", ["gaussian_nll", "squared_error"])
def test_regressors_say_the_same_near_and_far(loss, tmp_path):
    model = regressor(loss=loss, n_members=5, hidden=(16, 16), epochs=20)
    export.to_onnx(model, tmp_path / "model.onnx", coverage=0.95)
    assert_same_regression(model, tmp_path / "model.onnx", far_and_near(), 0.95)


@pytest.mark.parametrize("coverage", [0.6, 0.8])
def test_ends_on_a_flat_part_of_the_cdf_have_its_level(coverage, tmp_path):
    """A wide member among five makes the cdf flat at 0.1, a gap between them at 0.2."""
    model = regressor(n_members=5, hidden=(16, 16), epochs=20)
    model.interval_factors_ = IntervalFactors.none(1)
    export.to_onnx(model, tmp_path / "model.onnx", coverage=coverage)
    X = far_and_near()
    found = run(tmp_path / "model.onnx", X)
    ends = np.stack(model.predict_interval(X, coverage))
    mixture = model.predictive(X)
    levels = {"low": (1 - coverage) / 2, "high": (1 + coverage) / 2}
    for end, (name, level) in zip(ends, levels.items(), strict=True):
        off = np.abs(found[name] - end)
        same = off <= 1e-4 * np.abs(end) + moved(model, X)[:, 0]
        reached = mixture.cdf(found[name][:, None])[:, 0]
        assert same.mean() > 0.5
        assert np.abs(reached - level)[~same].max(initial=0.0) < 1e-15


@pytest.mark.parametrize("method", ["water_filling", "max_w_ent"])
def test_draws_are_exported_as_more_members(method, tmp_path):
    model = regressor(method=method, hidden=(8, 8), epochs=20)
    assert model.network_.n_members == 20
    export.to_onnx(model, tmp_path / "model.onnx")
    assert_same_regression(model, tmp_path / "model.onnx", far_and_near(500))


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_activation_is_exported(activation, tmp_path):
    model = regressor(activation=activation, hidden=(8, 8))
    export.to_onnx(model, tmp_path / "model.onnx")
    assert_same_regression(model, tmp_path / "model.onnx", far_and_near(500))


def test_several_targets_are_exported(tmp_path):
    X, y = rows()
    model = EnsembleRegressor(**SMALL).fit(X, np.stack([y, 1e4 * y], axis=1))
    export.to_onnx(model, tmp_path / "model.onnx")
    assert_same_regression(model, tmp_path / "model.onnx", far_and_near(500))


CLASSIFIERS = {
    "two": {},
    "three": {"labels": ("a", "b", "c")},
    "integers": {"labels": (3, 5, 9)},
    "booleans": {"labels": (False, True)},
    "entropy": {"loss": "cross_entropy"},
    "entropy-three": {"loss": "cross_entropy", "labels": ("a", "b", "c")},
    "one-hot": {"loss": "one_hot_squared_error"},
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers_say_the_same_near_and_far(name, tmp_path):
    model = classifier(**CLASSIFIERS[name], epochs=10)
    export.to_onnx(model, tmp_path / "model.onnx")
    X = far_and_near()
    found = run(tmp_path / "model.onnx", X)
    assert isinstance(model, EnsembleClassifier)
    # Of a softmax, logits that are off by d change every probability by 2d of itself at
    # most, and the entropy by 4d of itself. Logits of squared-error outputs are γ times
    # their logarithm, taken above ε; their scores are distances and variances.
    off = rounding(model, X).max((0, 2))
    chances = model.predict_proba(X)
    if isinstance(model.loss_, CrossEntropy):
        allowed = np.expm1(4 * off) * chances.T, np.expm1(4 * off) * model.ood_score(X)
    else:
        size = np.abs(model.outputs(X)).max((0, 2)) + len(model.classes_)
        logits = model.probability_map_.power * off / model.probability_map_.floor
        grown = np.expm1(np.minimum(2 * logits, 50.0))  # all that a float can tell
        allowed = grown * chances.T, 4 * off * (size + off)
    assert_close(found["probabilities"], chances, allowed[0].T)
    top = np.sort(chances, axis=1)
    clear = top[:, -1] - top[:, -2] > 1e-4 + 2 * allowed[0].max(0)
    np.testing.assert_array_equal(found["label"][clear], model.predict(X)[clear])
    assert_close(found["ood_score"], model.ood_score(X), allowed[1])
    assert_flags(found["flag"], model, X, allowed[1])


def doubted_targets():
    X, y = doubtful_models.curved()
    return X, np.stack([y, 1e4 * y], axis=1)


def doubted_wide():
    """More columns than the search has axes."""
    X = np.random.default_rng(0).normal(size=(600, 80)) * np.linspace(1, 0.1, 80)
    return X, X[:, 0] + np.sin(X[:, 1])


def of_doubtful(rows, **changes):
    return EnsembleRegressor(**doubtful_models.SETTINGS | changes).fit(*rows)


DOUBTFUL = {
    "regressor": doubtful_models.regressor,
    "squared error": lambda: doubtful_models.regressor(loss="squared_error"),
    "several targets": lambda: of_doubtful(doubted_targets()),
    "several of squared error": lambda: of_doubtful(
        doubted_targets(), loss="squared_error"
    ),
    "many columns": lambda: of_doubtful(doubted_wide()),
    "one layer": lambda: doubtful_models.regressor(hidden=()),
    "draws": lambda: doubtful_models.regressor(method="water_filling"),
    "draws of max_w_ent": lambda: doubtful_models.regressor(method="max_w_ent"),
    "prototypes": lambda: doubtful_models.regressor(doubt="prototypes"),
    "classifier": doubtful_models.classifier,
    "entropy": lambda: doubtful_models.classifier(loss="cross_entropy"),
}


@pytest.mark.filterwarnings("ignore:doubt was not learned")
@pytest.mark.parametrize("name", DOUBTFUL)
def test_models_with_doubt_say_the_same_near_and_far(name, tmp_path):
    """Near, at the edge and far: up to where float32 loses a member's mean.

    Each output is within 1e-4 of its value and its unit. A score far below the
    threshold is a difference of numbers as large as that. So is doubt w, which begins
    where the unfamiliarity u of a row passes about 1: it is as exact as u, not as a
    part of itself.

    Draws of MaxWEnt take 1e-3. They have large weights along directions that training
    rows do not have, which cancel: what is summed up is some thousand times the sum.
    float32, here and in PyTorch, is off by 2⁻²⁴ of what is summed up, so of 5,000 times
    as much hidden units are known to 3e-4. A quarter of u is the logarithm of distances
    between them, and w is no steeper than u: it is off by 7e-5. A deviation a fourth of
    the fallback's, σ, moves by  (σ / std)² / 2 = 8  times that of itself: by 6e-4.
    """
    model = DOUBTFUL[name]()
    export.to_onnx(model, tmp_path / "model.onnx", coverage=0.8)
    rng = np.random.default_rng(4)
    X = rng.normal(size=(3000, model.n_features_in_))
    X = (X * 10 ** rng.uniform(-1, 3, size=(3000, 1))).astype("float32")
    found = run(tmp_path / "model.onnx", X)
    expected = {"ood_score": model.ood_score(X), "doubt": model.predict_doubt(X)}
    units = {"ood_score": model.ood_threshold(), "doubt": 1.0}
    if isinstance(model, EnsembleClassifier):
        expected["probabilities"], units["probabilities"] = model.predict_proba(X), 1e-2
    else:
        expected["mean"], expected["std"] = model.predict(X, return_std=True)
        expected["low"], expected["high"] = model.predict_interval(X, 0.8)
        narrow = np.quantile(expected["std"], 0.1, axis=0)
        units |= dict.fromkeys(("mean", "std", "low", "high"), narrow)
    most = 1e-3 if name == "draws of max_w_ent" else 1e-4
    for output, values in expected.items():
        scale = np.abs(values) + units[output]
        np.testing.assert_array_less(np.abs(found[output] - values) / scale, most)
    assert_flags(found["flag"], model, X, most)
    assert expected["doubt"].min() == 0
    assert expected["doubt"].max() > 0.9


@pytest.mark.parametrize("n_rows", [1, 7])
def test_any_number_of_rows_runs(n_rows, tmp_path):
    model = regressor()
    export.to_onnx(model, tmp_path / "model.onnx")
    assert run(tmp_path / "model.onnx", far_and_near(n_rows))["mean"].shape == (n_rows,)


def test_infinite_inputs_are_far_away(tmp_path):
    model = regressor()
    export.to_onnx(model, tmp_path / "model.onnx")
    X = np.array([[np.inf, -np.inf, 0.0]], dtype=np.float32)
    found = run(tmp_path / "model.onnx", X)
    assert np.isfinite(found["ood_score"]).all()
    assert found["flag"].all()


def test_what_cannot_be_exported_is_refused_in_words(tmp_path):
    with pytest.raises(ValueError, match="fully connected"):
        export.to_onnx(regressor(network=own_network), tmp_path / "model.onnx")
    with pytest.raises(ValueError, match="coverage must be between"):
        export.to_onnx(regressor(), tmp_path / "model.onnx", coverage=90)
    with pytest.raises(ValueError, match="not fitted"):
        export.to_onnx(EnsembleRegressor(), tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_an_export_that_fails_leaves_nothing_behind(tmp_path):
    (tmp_path / "model.onnx").mkdir()
    with pytest.raises(OSError, match="directory"):
        export.to_onnx(regressor(), tmp_path / "model.onnx")
    assert [path.name for path in tmp_path.iterdir()] == ["model.onnx"]
