"""Rows of several axes, for ensembles of a network that takes them."""

import numpy as np
import pytest
from torch import nn

import antireg
from antireg import EnsembleClassifier, EnsembleRegressor
from tests.tampering import put, tampered
from tests.trained_networks import pictures

pytestmark = pytest.mark.filterwarnings("ignore:doubt was not learned")


def convolution(n_inputs: int, n_outputs: int) -> nn.Module:
    layers = [nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, n_outputs)]
    return nn.Sequential(*layers)


SETTINGS = {"n_members": 2, "epochs": 40, "lr": 0.01, "random_state": 0}
X, Y = pictures(90, 1)


@pytest.fixture(scope="module")
def model():
    made = EnsembleClassifier("deep_ensemble", network=convolution, **SETTINGS)
    return made.fit(X, Y)


def test_pictures_are_told_apart_and_strange_ones_flagged(model) -> None:
    X_new, y_new = pictures(200, 2)
    assert model.score(X_new, y_new) > 0.7
    assert model.is_ood(20 * X_new).mean() > 0.9
    assert model.input_shape_ == (1, 6, 6)
    assert model.n_features_in_ == 36


def test_validation_rows_and_modules_may_have_axes_too() -> None:
    module = convolution(36, 2)
    made = EnsembleRegressor(
        "deep_ensemble", network=module, **{**SETTINGS, "epochs": 1, "doubt": None}
    )
    made.fit(X, Y.astype(float), validation_data=(X[:30], Y[:30].astype(float)))
    assert made.predict(X).shape == (90,)


def test_other_axes_are_refused(model) -> None:
    with pytest.raises(ValueError, match=r"^X must have rows of shape \(1, 6, 6\) as"):
        model.predict(np.zeros((3, 1, 4, 9)))
    with pytest.raises(ValueError, match=r"Found array with dim 4"):
        EnsembleClassifier("deep_ensemble").fit(X, Y)


def test_files_remember_the_axes(model, tmp_path) -> None:
    model.save(tmp_path)
    loaded = antireg.load(tmp_path, network=convolution)
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(loaded.is_ood(X), model.is_ood(X))
    with pytest.raises(ValueError, match=r"^X must have rows of shape \(1, 6, 6\)"):
        loaded.predict(np.zeros((3, 36, 1)))


@pytest.mark.parametrize("axes", [[36], [1, 6, 7], [0, 6, 6], "axes", [1] * 64 + [36]])
def test_axes_of_a_file_are_checked(model, tmp_path, axes) -> None:
    model.save(tmp_path)
    tampered(tmp_path, put("network", "axes", value=axes))
    with pytest.raises(ValueError, match=r"network.axes must (be|have at most 64)"):
        antireg.load(tmp_path, network=convolution)
