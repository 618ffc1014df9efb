"""Measures of answers, by hand."""

import numpy as np
import pytest
from benchmarks.leaderboard.measures import MEASURES, interval_score, measured
from benchmarks.leaderboard.method import Answer, classified, gaussian

from antireg.paper.data.split import Rows
from antireg.predictive import GaussianMixture


def test_interval_score_matches_hand_value():
    # Width 2 each; the second target is 1 above and the third 0.5 below, and at a
    # coverage of 0.8 a miss costs ten times its size: (2 + 12 + 7) / 3.
    y, low, high = np.array([0.0, 2.0, -1.5]), -np.ones(3), np.ones(3)
    assert interval_score(y, low, high, 0.8) == pytest.approx(7.0)


def test_a_gaussian_answer_has_every_measure_of_targets():
    rows = Rows(np.zeros((2, 1)), np.array([1.0, -1.0]))
    familiar = gaussian(np.zeros(2), np.ones(2), np.array([0.0, 1.0]))
    shifted = gaussian(np.zeros(2), np.ones(2), np.array([2.0, 3.0]))
    found = dict(measured((rows, familiar), (rows, shifted)))
    # ½ log 2π + ½ at one standard deviation from the mean.
    assert found["nll_out"] == pytest.approx(0.9189385 + 0.5)
    assert found["coverage_in"] == 1.0
    assert found["interval_score_in"] == pytest.approx(2 * 1.6448536)
    assert found["rmse_out"] == 1.0
    assert (found["auroc"], found["caught"]) == (1.0, 1.0)
    assert found.keys() <= MEASURES.keys()


def test_point_masses_have_a_crps_but_no_density():
    rows = Rows(np.zeros((1, 1)), np.array([1.0]))
    points = GaussianMixture(np.array([[[0.0]], [[2.0]]]), np.zeros((2, 1, 1)))
    found = dict(measured((rows, Answer(mixture=points)), (rows, Answer())))
    # E|X − 1| − ½ E|X − X'| = 1 − ½.
    assert found == {"crps_in": pytest.approx(0.5)}


def test_classes_are_measured_where_they_are_known():
    known = Rows(np.zeros((2, 1)), np.array([0, 1]))
    said = classified(np.array([[0.8, 0.2], [0.6, 0.4]]))
    found = dict(measured((known, said), (Rows(known.x), said)))
    assert found["accuracy"] == 0.5
    assert found["log_loss"] == pytest.approx(-np.log([0.8, 0.4]).mean())
    assert found["auroc"] == 0.5


def test_coverage_is_best_at_what_was_asked_for():
    measure = MEASURES["coverage_in"]
    assert measure.loss(0.9) < measure.loss(0.95) < measure.loss(0.7)
    assert MEASURES["auroc"].loss(0.9) < MEASURES["auroc"].loss(0.6)
