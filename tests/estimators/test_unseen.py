import numpy as np
import pytest
from sklearn.datasets import load_digits, make_friedman1

from antireg import EnsembleClassifier, EnsembleRegressor
from antireg.estimators import retraining
from antireg.estimators.unseen import (
    ENOUGH_GROUPS,
    MOST_ROWS,
    parts_to_leave_out,
    too_few,
)
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


@pytest.mark.parametrize(
    ("n_rows", "n_groups", "few"),
    [
        (1000, None, False),
        (100, None, True),
        (100, 100, True),
        (1000, ENOUGH_GROUPS, False),
        (1000, ENOUGH_GROUPS - 1, True),
        (MOST_ROWS, 2, True),
        (MOST_ROWS + 1, 2, False),
    ],
)
def test_few_groups_are_as_few_as_few_rows(n_rows, n_groups, few):
    chosen = np.arange(n_rows) >= n_rows - min(n_rows, 1000) // 2
    groups = None if n_groups is None else np.arange(n_rows) % n_groups
    assert too_few(chosen, groups) == few


def test_with_few_groups_every_group_is_left_out_once():
    X, y = rows()
    X, y = np.repeat(X, 4, axis=0), np.repeat(y, 4, axis=0)
    groups = np.arange(len(X)) % 6
    model = EnsembleRegressor(**SMALL).fit(X, y, groups=groups)
    # One group of six is held out; the others make five parts.
    assert len(np.unique(groups[model.held_out_rows_])) == 1
    assert len(model.held_out_scores_) == len(X)
