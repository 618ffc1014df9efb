import copy
import pickle

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from torch import nn

from antireg import from_networks
from antireg.report.evaluation import measure
from tests.trained_networks import (
    picture_network,
    pictures,
    regression_network,
    rows,
)

X, Y = rows(300, 1)
X_TRAIN, _ = rows(500, 2)
X_NEW, Y_NEW = rows(1000, 3)
FAR = X_NEW + 6


@pytest.fixture(scope="module")
def model():
    networks = [regression_network(0), regression_network(1)]
    made = from_networks(networks, "regression", random_state=0)
    return made.fit(X, Y, reference=X_TRAIN)


def test_flags_are_as_many_as_asked_inside_and_all_outside(model) -> None:
    # The share of 1000 rows over the threshold of 300: 5 % ± 3 · 1.5 %.
    assert 0.01 < model.is_ood(X_NEW).mean() < 0.1
    assert model.is_ood(FAR).all()
    assert model.is_ood(X_NEW, false_alarm_rate=0.5).mean() > 0.35


def test_doubt_is_little_inside_and_much_outside(model) -> None:
    assert model.doubt(X_NEW).mean() < 0.01
    assert model.doubt(FAR).min() > 0.5
    far = np.full((1, 2), 1e6)
    assert model.doubt(far)[0] == pytest.approx(1, abs=1e-3)


def test_the_score_is_above_the_threshold_where_a_row_is_flagged(model) -> None:
    scores = model.ood_score(X_NEW)
    assert np.array_equal(scores > model.ood_threshold(), model.is_ood(X_NEW))
    assert np.array_equal(model.score_of(model.said(X_NEW)), scores)


def test_a_row_is_answered_alone_as_among_others(model) -> None:
    alone = [model.ood_score(row[None])[0] for row in X_NEW[:5]]
    assert alone == pytest.approx(model.ood_score(X_NEW)[:5], rel=1e-4)


def test_networks_stay_as_they_are() -> None:
    network = regression_network(0)
    before = copy.deepcopy(network.state_dict())
    made = from_networks(network, "regression").fit(X, Y, reference=X_TRAIN)
    made.predict(X_NEW)
    now = network.state_dict()
    assert all(torch.equal(now[name], values) for name, values in before.items())
    assert network.training
    assert made.modules_.members == (network,)


def test_validation_rows_serve_as_references_without_others() -> None:
    made = from_networks(regression_network(0), "regression", random_state=0)
    made.fit(X, Y)
    assert 0.01 < made.is_ood(X_NEW).mean() < 0.1
    assert made.is_ood(FAR).all()


def test_a_fit_that_fails_leaves_the_estimator_as_it_was(model) -> None:
    made = copy.copy(model)
    with pytest.raises(ValueError, match=r"networks must take X"):
        made.fit(np.zeros((5, 3)), np.zeros(5))
    assert np.array_equal(made.predict(X_NEW), model.predict(X_NEW))


def test_rows_of_weight_zero_do_not_count() -> None:
    weight = np.ones(len(X))
    weight[200:] = 0
    wrong = np.where(weight == 0, 1e6, Y)
    network = regression_network(0)
    settings = dict(task="regression", random_state=0)
    some = from_networks(network, **settings).fit(X[:200], Y[:200])
    weighted = from_networks(network, **settings).fit(X, wrong, sample_weight=weight)
    assert np.array_equal(some.predict(X_NEW), weighted.predict(X_NEW))


def test_a_pickled_one_says_the_same(model) -> None:
    other = pickle.loads(pickle.dumps(model))
    assert np.array_equal(other.predict(X_NEW), model.predict(X_NEW))


def test_a_clone_has_the_settings_and_no_fit(model) -> None:
    other = clone(model)
    assert other.random_state == 0
    with pytest.raises(NotFittedError):
        other.predict(X)


def test_the_report_measures_it(model) -> None:
    found = measure(model, X_NEW, Y_NEW).metrics
    assert found["r2"] > 0.95
    assert found["coverage_90"] == pytest.approx(0.9, abs=0.05)
    shown, kinds = pictures(200, 1)
    of_pictures = from_networks(picture_network(0), "classification", random_state=0)
    of_pictures.fit(shown, kinds)
    measured = measure(of_pictures, *pictures(200, 2)).metrics
    assert measured["accuracy"] > 0.8


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (dict(task="ranking"), r"^task must be one of regression, classification, got"),
        (dict(networks=3), r"^networks must be a trained torch.nn.Module"),
        (dict(outputs="spam"), r"^outputs must be one of"),
    ],
)
def test_what_is_wrong_is_said(change, error: str) -> None:
    given = dict(networks=regression_network(0), task="regression") | change
    with pytest.raises(ValueError, match=error):
        from_networks(**given).fit(X, Y)


def test_outputs_that_are_not_finite_are_refused() -> None:
    broken = nn.Linear(2, 1)
    with torch.no_grad():
        broken.weight.fill_(torch.nan)
    with pytest.raises(ValueError, match=r"^networks must say finite numbers of X"):
        from_networks(broken, "regression").fit(X, Y)


def test_too_few_rows_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^X must have at least 2 rows, got 1"):
        from_networks(regression_network(0), "regression").fit(X[:1], Y[:1])
