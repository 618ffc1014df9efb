"""Methods answer for the rows they are asked about, and score far rows higher."""

import numpy as np
import pytest
from benchmarks.leaderboard.measures import measured
from benchmarks.leaderboard.method import drawn
from benchmarks.leaderboard.network import trained
from benchmarks.leaderboard.registry import methods
from benchmarks.leaderboard.task import Known, judged

from tests.benchmarks.toys import TASK

DETECTORS = ("neighbours", "mahalanobis", "lof", "one-class-svm", "isolation-forest")


@pytest.mark.parametrize("name", DETECTORS)
def test_detectors_score_far_rows_higher(name):
    ready = judged(TASK, 0)
    say = methods()[name].fit(ready.known, 0)
    found = dict(measured(*((r, say(r.x)) for r in (ready.familiar, ready.shifted))))
    assert found["auroc"] > 0.9
    assert set(found) == {"auroc", "caught"}


@pytest.mark.parametrize("name", ["constant", "quantile-boosting", "gaussian-process"])
def test_methods_of_numbers_answer_for_every_row(name):
    ready = judged(TASK, 0)
    answer = methods()[name].fit(ready.known, 0)(ready.familiar.x)
    assert len(answer.low) == len(answer.mean) == len(answer.score) == 30
    assert np.all(answer.low <= answer.high)


def test_the_constant_says_the_shares_of_classes():
    known = Known(np.zeros((4, 1)), np.array([0, 1, 1, 1]), n_classes=2)
    answer = methods()["constant"].fit(known, 0)(np.zeros((2, 1)))
    np.testing.assert_allclose(answer.probabilities, [[0.25, 0.75]] * 2)


def test_drawn_networks_are_a_mixture():
    # Two networks at −1 and 1 with variance 1: the mixture has variance 2.
    answer = drawn(np.array([[-1.0], [1.0]]), np.ones((2, 1)))
    assert answer.score[0] == pytest.approx(np.sqrt(2))
    assert answer.high[0] == pytest.approx(-answer.low[0])


def test_a_plain_network_is_the_same_for_the_same_seed():
    known = judged(TASK, 0).known
    (one, loss), (two, again) = trained(known, 1), trained(known, 1)
    assert loss == again < 1
    assert all(
        (a == b).all() for a, b in zip(one.parameters(), two.parameters(), strict=True)
    )
