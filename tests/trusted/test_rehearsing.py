import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression

from antireg.trusted.cloning import Table
from antireg.trusted.noise import Curve, Noise
from antireg.trusted.rehearsing import Rehearsal, Rehearsing, plan_rehearsals
from antireg.trusted.rules import ClassRules, ValueRules

UNIT = Noise((Curve(np.zeros(1), np.zeros(1)),))


def rows_and_folds(n_rows=300):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n_rows, 2)), np.arange(n_rows) % 5


def test_a_copy_knows_neither_what_it_holds_out_nor_what_it_leaves_out():
    numbers, fold = rows_and_folds()
    planned = plan_rehearsals(numbers, fold, None, seed=0)
    assert len(planned) >= 8
    for trained, held_out, left_out in planned:
        assert not set(trained) & (set(held_out) | set(left_out))
        assert not set(held_out) & set(left_out)
        assert len(np.unique(fold[held_out])) == 1


def test_held_out_rows_are_not_beside_rows_that_were_left_out():
    numbers, fold = rows_and_folds()
    for trained, held_out, _ in plan_rehearsals(numbers, fold, None, seed=0):
        others = np.flatnonzero(fold != fold[held_out[0]])
        for row in held_out:
            away = np.square(numbers[others] - numbers[row]).sum(axis=1)
            assert others[away.argmin()] in trained


def test_groups_are_left_out_together():
    numbers, _ = rows_and_folds()
    groups = np.arange(300) // 30
    planned = plan_rehearsals(numbers, groups % 5, groups, seed=0)
    with_groups = [r for r in planned if len(np.unique(groups[r.left_out])) <= 2]
    assert with_groups
    for rehearsal in with_groups:
        assert not set(groups[rehearsal.trained]) & set(groups[rehearsal.left_out])


def test_a_copy_is_asked_about_both_kinds_of_rows():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.uniform(*ends, 100) for ends in ((-1, -0.5), (0, 1))])
    X = X[:, None]
    y = np.abs(X[:, 0])  # the left part falls: a line through the right is off there
    rules = ValueRules.of(y, np.ones(200))
    rehearsing = Rehearsing(rules, UNIT, LinearRegression(), Table(X, y), 0, None)
    places = np.arange(100, 200)
    held_out, left_out = rehearsing(Rehearsal(places[::2], places[1::2], np.arange(50)))
    assert np.abs(held_out.y - held_out.mean).max() < 1e-9
    assert np.abs(left_out.y - left_out.mean).min() > 2 * 0.5 - 1e-9
    assert left_out.unfamiliar.min() > held_out.unfamiliar.max()


def test_a_copy_that_cannot_be_fitted_is_passed_over():
    X, _ = rows_and_folds()
    y = (np.arange(300) < 100).astype(int)
    rules = ClassRules.of(y, np.ones(300), np.array([0, 1]))
    rehearsing = Rehearsing(rules, None, LogisticRegression(), Table(X, y), 0, None)
    one_class = np.arange(150, 300)
    assert rehearsing(Rehearsal(one_class, one_class, np.arange(50))) is None


def test_sets_without_held_out_rows_are_passed_over():
    numbers, _ = rows_and_folds(20)
    assert plan_rehearsals(numbers, np.arange(20) % 10, None, seed=0) == []
