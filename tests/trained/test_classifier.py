import numpy as np
import pytest
import torch
from torch import nn

from antireg import from_networks
from tests.trained_networks import picture_network, pictures

X, Y = pictures(400, 1)
X_TRAIN, _ = pictures(500, 2)
X_NEW, Y_NEW = pictures(500, 3)


def fitted(networks, y=Y, **settings):
    made = from_networks(networks, "classification", random_state=0, **settings)
    return made.fit(X, y, reference=X_TRAIN)


@pytest.fixture(scope="module")
def model():
    return fitted([picture_network(0), picture_network(1)])


def test_pictures_are_told_apart_and_strange_ones_flagged(model) -> None:
    assert model.meaning_ == "logits"
    assert model.score(X_NEW, Y_NEW) > 0.85
    assert 0.01 < model.is_ood(X_NEW).mean() < 0.1
    assert model.is_ood(5 * X_NEW).mean() > 0.95


def test_probabilities_are_calibrated_by_validation_rows() -> None:
    network = picture_network(0)
    loud = nn.Sequential(network, nn.Linear(3, 3, bias=False))
    with torch.no_grad():
        loud[1].weight.copy_(5 * torch.eye(3))  # five times too sure

    def mean_surprise(one) -> float:
        rows = np.arange(len(Y_NEW))
        return float(-np.log(one.predict_proba(X_NEW)[rows, Y_NEW]).mean())

    with torch.no_grad():
        raw = loud.eval()(torch.tensor(X_NEW).float())
    plain = float(nn.functional.cross_entropy(raw, torch.tensor(Y_NEW)))
    assert mean_surprise(fitted(loud)) < 0.6 * plain
    assert mean_surprise(fitted(loud)) == pytest.approx(
        mean_surprise(fitted(network)), rel=0.1
    )


def test_a_softmax_at_the_end_is_recognised(model) -> None:
    soft = [nn.Sequential(picture_network(k), nn.Softmax(1)) for k in (0, 1)]
    other = fitted(soft)
    assert other.meaning_ == "probabilities"
    expected = pytest.approx(model.predict_proba(X_NEW), abs=1e-4)
    assert other.predict_proba(X_NEW) == expected


def test_far_away_it_says_the_frequencies_of_the_classes(model) -> None:
    shares = np.bincount(Y, minlength=3) / len(Y)
    assert model.predict_proba(1e6 * X_NEW[:3]) == pytest.approx(
        np.tile(shares, (3, 1)), abs=0.01
    )


def test_labels_may_be_words_in_the_order_of_the_outputs(model) -> None:
    words = np.array(["top", "middle", "bottom"])
    other = fitted([picture_network(0), picture_network(1)], words[Y], classes=words)
    assert other.classes_.tolist() == ["bottom", "middle", "top"]
    assert np.array_equal(other.predict(X_NEW), words[model.predict(X_NEW)])


def test_a_class_that_validation_rows_lack_is_still_one() -> None:
    some = Y > 0
    network = picture_network(0)
    made = from_networks(network, "classification", random_state=0)
    made.fit(X[some], Y[some])
    assert made.classes_.tolist() == [0, 1, 2]
    assert made.predict_proba(X_NEW).shape == (len(X_NEW), 3)


def test_one_output_is_that_of_the_second_class() -> None:
    torch.manual_seed(0)
    flat = nn.Sequential(nn.Flatten(), nn.Linear(36, 8), nn.ReLU(), nn.Linear(8, 1))
    with torch.no_grad():
        second = flat(torch.tensor(X).float())[:, 0].numpy() > 0
    model = fitted(flat, second)
    assert model.classes_.tolist() == [False, True]
    assert model.score(X, second) > 0.95
