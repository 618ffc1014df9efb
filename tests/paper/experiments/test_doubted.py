"""One fit gives both: what it says with doubt, and what it would say without."""

import numpy as np
import pytest

from antireg import EnsembleClassifier, EnsembleRegressor, metrics
from antireg.methods import AnchorNet
from antireg.paper.data.split import Rows, Split
from antireg.paper.data.toys import one_dimensional, two_moons
from antireg.paper.experiments import doubted
from antireg.paper.experiments.detectors import NAMES

SETTINGS = {"n_members": 2, "hidden": (16,), "steps": 200, "random_state": 0}


def with_far(split, shift):
    far = Rows(split.test.x + shift, split.test.y)
    return Split(split.name, split.train, split.validation, split.test, {"far": far})


def fitted(model, split):
    validation = split.validation
    return model.fit(
        *(split.train.x, split.train.y), validation_data=(validation.x, validation.y)
    )


def values(measure, model, split):
    return {value.metric: value.value for value in measure(model, split)}


@pytest.fixture(scope="module")
def line():
    split = with_far(one_dimensional(0), 2.0)
    model = fitted(
        EnsembleRegressor("deep_ensemble", doubt="rehearsed", **SETTINGS), split
    )
    return model, split, values(doubted.regression, model, split)


def test_what_is_measured_with_doubt_is_what_the_model_says(line):
    model, split, found = line
    far = split.ood["far"]
    for name, rows in (("test", split.test), ("far", far)):
        mean, std = model.predict(rows.x, return_std=True)
        assert found[f"{name}_nll"] == metrics.gaussian_nll(rows.y, mean, std)
        low, high = model.predict_interval(rows.x)
        assert found[f"{name}_coverage90"] == metrics.coverage(rows.y, low, high)
        assert found[f"{name}_doubt"] == pytest.approx(model.doubt(rows.x).mean())
    scores = model.ood_score(split.test.x), model.ood_score(far.x)
    assert found["far_auroc"] == metrics.auroc(*scores)
    assert found["far_flagged"] == model.is_ood(far.x).mean()
    assert found["false_alarms"] == model.is_ood(split.test.x).mean()


def test_what_is_plain_is_what_the_same_members_say_without_doubt(line):
    _, split, found = line
    model = fitted(
        EnsembleRegressor("deep_ensemble", doubt=None, bins=32, **SETTINGS), split
    )
    far = split.ood["far"]
    for name, rows in (("test", split.test), ("far", far)):
        mean, std = model.predict(rows.x, return_std=True)
        nll = metrics.gaussian_nll(rows.y, mean, std)
        assert found[f"plain_{name}_nll"] == pytest.approx(nll)
        low, high = model.predict_interval(rows.x)
        covered = metrics.coverage(rows.y, low, high)
        assert found[f"plain_{name}_coverage90"] == pytest.approx(covered)
    assert found["plain_far_flagged"] == model.is_ood(far.x).mean()
    assert found["plain_far_nll"] != found["far_nll"]


def test_the_constant_is_that_of_the_training_targets(line):
    _, split, found = line
    y = split.train.y
    away = np.square(split.test.y - y.mean()).mean()
    expected = np.log(y.std()) + away / (2 * y.var())
    assert found["test_constant_nll"] == pytest.approx(expected, rel=1e-5)


def test_rows_that_fit_held_out_itself_calibrate_the_plain_answer(line):
    model, split, _ = line
    assert doubted.held_out_rows(model, split) is split.validation
    none = split.validation[:0]
    split = Split("own", split.train, none, split.test)
    model = EnsembleRegressor("deep_ensemble", **SETTINGS)
    model.fit(split.train.x, split.train.y)
    chosen = doubted.held_out_rows(model, split)
    assert chosen.x.tolist() == split.train.x[model.held_out_rows_].tolist()


def test_other_detectors_are_asked_once(line):
    model, split, found = line
    asked = {f"far_{name}_auroc" for name in NAMES}
    assert asked <= set(values(doubted.table, model, split))
    assert not asked & set(found)
    other = fitted(EnsembleRegressor(AnchorNet(strength=1.0), **SETTINGS), split)
    assert not asked & set(values(doubted.table, other, split))


def test_classes_are_measured_with_doubt_and_without():
    split = with_far(two_moons(0), 5.0)
    model = EnsembleClassifier("deep_ensemble", doubt="rehearsed", **SETTINGS)
    found = values(doubted.classification, fitted(model, split), split)
    assert found["accuracy"] == model.score(split.test.x, split.test.y)
    far = split.ood["far"].x
    probabilities = model.predict_proba(far)
    assert found["far_confidence"] == pytest.approx(probabilities.max(1).mean())
    plain = model.predictive_of(model.said(far).alone).mean
    assert found["plain_far_confidence"] == pytest.approx(plain.max(1).mean())
    scores = model.ood_score(split.test.x), model.ood_score(far)
    assert found["far_auroc"] == metrics.auroc(*scores)


def test_of_very_many_rows_some_are_scored():
    rows = Rows(np.arange(6000.0)[:, None])
    some = doubted._some(rows)
    assert len(some) == len(np.unique(some.x)) == doubted.MOST_ROWS
    assert doubted._some(rows[:10]).x.tolist() == rows.x[:10].tolist()
