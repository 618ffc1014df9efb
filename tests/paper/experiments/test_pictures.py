"""Figures can be drawn from the numbers alone."""

import numpy as np
import pytest

from antireg import DARE, EnsembleClassifier, EnsembleRegressor
from antireg.paper.data.toys import linear, one_dimensional, truth, two_moons
from antireg.paper.experiments import pictures

SETTINGS = {
    "hidden": (8, 8),
    "epochs": 3,
    "random_state": 0,
    "scaling": "none",
    "doubt": None,
}


def measured(measure, model, split):
    held_out = (split.validation.x, split.validation.y)
    model.fit(split.train.x, split.train.y, validation_data=held_out)
    found = {}
    for value in measure(model, split):
        found.setdefault(value.metric, {})[value.at] = value.value
    return found


@pytest.fixture(scope="module")
def moons():
    model = EnsembleClassifier("deep_ensemble", n_members=2, **SETTINGS)
    return model, measured(pictures.plane, model, two_moons(0))


def test_the_plane_is_a_square_of_points_row_by_row(moons):
    model, found = moons
    unsure = np.array(list(found["unsure"].values()))
    assert unsure.size == pictures.SIDE**2
    corner = model.ood_score([[-3.0, -3.0]])[0] / np.log(2)
    assert unsure[0] == pytest.approx(corner, rel=1e-4)


def test_points_above_the_limit_are_the_flagged_ones(moons):
    model, found = moons
    flagged = np.array(list(found["unsure"].values())) > found["limit"][""]
    assert flagged[0] == model.is_ood([[-3.0, -3.0]])[0]


def test_with_doubt_the_plane_holds_what_is_said_and_what_is_flagged():
    settings = {**SETTINGS, "doubt": "rehearsed"}
    model = EnsembleClassifier("deep_ensemble", n_members=2, **settings)
    found = measured(pictures.plane, model, two_moons(0))
    corner = np.array([[-3.0, -3.0]])
    (shares,) = model.predict_proba(corner)
    entropy = -(shares * np.log2(shares)).sum()
    assert found["unsure"]["0"] == pytest.approx(entropy, rel=1e-4)
    assert found["flagged"]["0"] == model.is_ood(corner)[0]
    assert len(found["flagged"]) == pictures.SIDE**2
    assert "limit" not in found  # the flag is not by how unsure the answer is


def test_intervals_are_those_of_the_model():
    model = EnsembleRegressor("deep_ensemble", n_members=2, **SETTINGS)
    split = one_dimensional(0)
    found = measured(pictures.intervals, model, split)
    low, high = model.predict_interval(split.test.x, coverage=0.9)
    inside = ((low <= split.test.y) & (split.test.y <= high)).mean()
    assert found["test_coverage90"][""] == pytest.approx(inside)
    assert found["test_flagged"][""] == model.is_ood(split.test.x).mean()
    assert list(found["test_score"]) == [str(row) for row in range(len(split.test))]


def test_components_fall_in_training_variance(moons):
    _, found = moons
    first = [v for at, v in found["inside_std"].items() if at.startswith("1:")]
    assert first == sorted(first, reverse=True)
    assert len(first) == 8
    assert found["inside_stranger"].keys() == found["inside_weight"].keys()


def test_the_line_holds_what_is_said_and_what_is_true():
    model = EnsembleRegressor("deep_ensemble", n_members=2, **SETTINGS)
    found = measured(pictures.line, model, one_dimensional(0))
    assert found["truth"]["0.5"] == pytest.approx(truth(np.array(0.5)), rel=1e-4)
    mean, std = model.predict([[0.5]], return_std=True)
    assert found["mean"]["0.5"] == pytest.approx(mean[0], rel=1e-4)
    assert found["std"]["0.5"] == pytest.approx(std[0], rel=1e-4)
    assert len(found["train_x0"]) == len(found["train_y"]) == 100


def test_training_holds_every_epoch():
    model = EnsembleRegressor("deep_ensemble", n_members=2, **SETTINGS)
    found = measured(pictures.training, model, one_dimensional(0))
    assert list(found["epoch_loss"]) == ["1", "2", "3"]
    last = model.history_.weight[-1].mean()
    assert found["epoch_weight"]["3"] == pytest.approx(last, rel=1e-4)


@pytest.mark.filterwarnings("ignore:DARE")
def test_weights_without_an_optimum_fill_as_theorem_1_predicts():
    model = EnsembleRegressor(
        DARE(threshold=1.01),
        n_members=20,
        hidden=(),
        epochs=200,
        batch_size=128,
        loss="squared_error",
        scaling="none",
        random_state=0,
        doubt=None,
    )
    found = measured(pictures.filling, model, linear(matters=False, seed=0))
    share = found["spent"][""] / found["budget"][""]
    for place, predicted in found["predicted"].items():
        assert found["measured"][place] == pytest.approx(share * predicted, rel=0.25)
