import numpy as np
import pytest
from sklearn.datasets import load_digits, make_friedman1

from antireg import EnsembleClassifier, EnsembleRegressor
from antireg.estimators import retraining
from antireg.estimators.left_out import LeftOut, parts_to_leave_out
from tests.small_models import SMALL, rows

pytestmark = pytest.mark.filterwarnings("ignore")


def masked(n_rows, n_held_out):
    return np.arange(n_rows) >= n_held_out


@pytest.mark.parametrize(
    ("n_rows", "n_held_out", "n_parts"),
    [
        (100, 10, 5),
        (200, 20, 4),
        (500, 50, 1),
        (1000, 100, 1),
        (1300, 130, 0),
        (6, 1, 0),
    ],
)
def test_parts_are_as_many_as_are_needed(n_rows, n_held_out, n_parts):
    trained = masked(n_rows, n_held_out)
    parts = parts_to_leave_out(np.zeros(n_rows), trained, np.random.default_rng(0))
    assert len(parts) == n_parts
    together = np.concatenate([*parts, np.zeros(0, int)])
    assert len(np.unique(together)) == len(together)
    assert trained[together].all()


def test_every_part_has_its_share_of_every_class_and_one_row_stays():
    groups = np.repeat([0, 1, 2], [80, 11, 1])
    trained = np.ones(92, dtype=bool)
    parts = parts_to_leave_out(groups, trained, np.random.default_rng(0))
    assert [np.bincount(groups[part], minlength=3).tolist() for part in parts] == [
        [16, 2, 0],
        [16, 2, 0],
        [16, 2, 0],
        [16, 2, 0],
        [15, 2, 0],
    ]


def test_scores_are_raised_by_what_leaving_out_does_beyond_the_level():
    """Without its part a training scores 3·4 as high there, and 3 times elsewhere."""
    fit = np.array([[[1.0], [2.0], [3.0], [4.0]]])
    trained = np.array([False, True, True, True])
    other = fit * np.array([[7.0], [12.0], [3.0], [3.0]])
    said = LeftOut(fit, trained, [np.array([1])], [other])
    scores = said.raised_scores(lambda outputs: outputs[0, :, 0])
    np.testing.assert_allclose(scores, [1, 8, 12, 16], rtol=1e-12)
    np.testing.assert_array_equal(said.places, [True, True, False, False])
    np.testing.assert_array_equal(said.unseen, [[[1.0], [24.0]]])


def test_scores_of_rows_left_out_are_brought_to_the_level_of_the_fit():
    """Of the rows both know it says 6 and 8 more: 7 less than 24 are 17."""
    fit = np.array([[[1.0], [2.0], [3.0], [4.0]]])
    trained = np.array([False, True, True, True])
    other = np.array([[[50.0], [24.0], [9.0], [12.0]]])
    said = LeftOut(fit, trained, [np.array([1])], [other])
    scores = said.levelled_scores(lambda outputs: outputs[0, :, 0])
    np.testing.assert_allclose(scores, [1, 17], rtol=1e-12)


def test_near_the_most_it_is_the_distance_to_it_that_is_levelled():
    """Of the rows both know it is half as far from 10: 6 and 9.9 are 4 and 0.1 away,
    so 8 and 0.2 at the level of the fit."""
    fit = np.array([[[1.0], [2.0], [2.0], [5.0], [8.0]]])
    trained = np.array([False, True, True, True, True])
    other = np.array([[[0.0], [6.0], [9.9], [7.5], [9.0]]])
    said = LeftOut(fit, trained, [np.array([1, 2])], [other])
    scores = said.levelled_scores(lambda outputs: outputs[0, :, 0], most=10.0)
    np.testing.assert_allclose(scores, [1, 2, 9.8], rtol=1e-12)


def test_validation_data_alone_say_it_where_they_are_given():
    X, y = rows()
    model = EnsembleRegressor(**SMALL).fit(X, y, validation_data=(X[:40], y[:40]))
    assert len(model.held_out_scores_) == 40


def test_small_tables_keep_their_promises():
    """Ten fits of 100 rows.

    With 100 scores the rate of a fit follows a beta law of 5 and 96: above 10 % once in
    60 fits; two of ten once in 200. A fit's coverage has a deviation of 3 points, the
    mean of ten 1.
    """
    X, y = make_friedman1(4000, noise=1.0, random_state=0)
    rates, held = [], []
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(4000)
        known, fresh = order[:100], order[100:]
        model = EnsembleRegressor(
            "deep_ensemble",
            hidden=(32,),
            steps=300,
            n_members=3,
            random_state=seed,
            doubt=None,
        ).fit(X[known], y[known])
        rates.append(model.is_ood(X[fresh]).mean())
        low, high = model.predict_interval(X[fresh])
        held.append(((low <= y[fresh]) & (y[fresh] <= high)).mean())
    assert (np.abs(np.array(rates) - 0.05) <= 0.05).sum() >= 9
    assert abs(np.mean(held) - 0.9) < 0.03


def test_digits_keep_their_false_alarm_rate():
    """Four fits of 150 rows.

    With 140 scores the rate of a fit follows a beta law of 7 and 134: above 10 % once
    in 90 fits; two of four once in 1,400. The mean of four has a deviation of 0.9
    points: below 2 % once in 1,000 times. The fits know little, so their entropies are
    near the most there can be.
    """
    X, y = load_digits(return_X_y=True)
    rates = []
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(y))
        model = EnsembleClassifier(
            "deep_ensemble",
            hidden=(32,),
            steps=150,
            n_members=3,
            random_state=seed,
            doubt=None,
        ).fit(X[order[:150]], y[order[:150]])
        rates.append(model.is_ood(X[order[150:]]).mean())
    assert (np.abs(np.array(rates) - 0.05) <= 0.05).sum() >= 3
    assert np.mean(rates) > 0.02


@pytest.mark.parametrize("n_rows", [60, 120])
def test_groups_are_left_out_whole(n_rows, monkeypatch):
    parts = []
    original = retraining.Retraining.networks_without

    def watched(self, given, *others):
        parts.extend(given)
        return original(self, given, *others)

    monkeypatch.setattr(retraining.Retraining, "networks_without", watched)
    X, y = rows(n_rows)
    groups = np.arange(n_rows) // 5
    model = EnsembleRegressor(**SMALL).fit(X, y, groups=groups)
    assert len(parts) == 5
    for part in parts:
        assert not set(groups[part]) & set(np.delete(groups, part))
        assert not set(groups[part]) & set(groups[model.held_out_rows_])
