"""The numbers in the rows are those of the public metrics."""

import numpy as np
import pytest
import torch

from antireg import EnsembleClassifier, EnsembleRegressor, metrics
from antireg.paper.data.split import Rows, Split
from antireg.paper.data.toys import one_dimensional, two_moons
from antireg.paper.experiments import measures

SETTINGS = {
    "n_members": 2,
    "hidden": (8,),
    "epochs": 3,
    "random_state": 0,
    "doubt": None,
}


def with_far(split, shift):
    far = Rows(split.test.x + shift, split.test.y)
    return Split(split.name, split.train, split.validation, split.test, {"far": far})


def measured(measure, model, split):
    model.fit(
        split.train.x,
        split.train.y,
        validation_data=(split.validation.x, split.validation.y),
    )
    return {value.metric: value.value for value in measure(model, split)}


@pytest.fixture(scope="module")
def line():
    split = with_far(one_dimensional(0), 2.0)
    model = EnsembleRegressor("deep_ensemble", **SETTINGS)
    return model, split, measured(measures.regression, model, split)


@pytest.fixture(scope="module")
def moons():
    split = with_far(two_moons(0), 5.0)
    model = EnsembleClassifier("deep_ensemble", **SETTINGS)
    return model, split, measured(measures.classification, model, split)


def test_regression_is_measured_inside_and_outside(line):
    model, split, found = line
    for name, rows in (("test", split.test), ("far", split.ood["far"])):
        mean, std = model.predict(rows.x, return_std=True)
        assert found[f"{name}_nll"] == metrics.gaussian_nll(rows.y, mean, std)
        assert found[f"{name}_mae"] == pytest.approx(np.abs(rows.y - mean).mean())
        assert found[f"{name}_ece"] == metrics.regression_ece(rows.y, mean, std)
    scores = model.ood_score(split.test.x), model.ood_score(split.ood["far"].x)
    assert found["far_auroc"] == metrics.auroc(*scores)


def test_clipping_as_in_the_scripts_changes_only_huge_noise(line):
    _, _, found = line
    assert found["test_nll_cut"] == pytest.approx(found["test_nll"])


def test_huge_noise_is_clipped_as_in_the_scripts():
    rows = Rows(np.zeros((4, 1)), np.zeros(4))
    model = EnsembleRegressor("deep_ensemble", scaling="none", **SETTINGS)
    model.fit(np.zeros((40, 1)), np.zeros(40))
    weights = torch.zeros_like(model.network_.flat)
    weights[:, -1] = 40.0  # the bias of log σ², all other weights nil
    model.network_ = model.network_.with_weights(weights)
    found = dict(measures._regression(model, rows))
    assert found["nll"] == pytest.approx(20.0)  # ½ log σ²
    assert found["nll_cut"] == pytest.approx(5.0)


def test_constant_error_is_that_of_the_median(line):
    _, split, found = line
    y = split.ood["far"].y
    assert found["far_constant_mae"] == pytest.approx(np.abs(y - np.median(y)).mean())


def test_classes_are_measured_inside_and_detected_outside(moons):
    model, split, found = moons
    assert found["accuracy"] == model.score(split.test.x, split.test.y)
    probabilities = model.predict_proba(split.test.x)
    assert found["test_nll"] == metrics.class_nll(split.test.y, probabilities)
    assert found["far_flagged"] == model.is_ood(split.ood["far"].x).mean()


def test_searches_find_what_they_read(line, moons):
    for model, _, found in (line, moons):
        kept = model.history_.kept_validation_loss.mean()
        assert found["validation_loss"] == pytest.approx(kept)
        assert found["ensemble_loss"] == model.validation_loss_
        assert found["diverged"] == 0.0
