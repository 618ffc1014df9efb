import numpy as np
import pytest

from antireg.trusted.folds import fold_of_rows


def folds(labels=None, groups=None, n_rows=20, n_folds=5):
    rng = np.random.default_rng(0)
    return fold_of_rows(labels, groups, n_rows, n_folds, rng)


def test_folds_are_of_one_size_and_drawn():
    fold = folds()
    assert np.bincount(fold).tolist() == [4] * 5
    assert fold.tolist() != sorted(fold)
    assert sorted(folds(n_rows=3)) == [0, 1, 2]


def test_every_fold_has_its_share_of_every_label():
    labels = np.array(["a"] * 10 + ["b"] * 10)
    fold = folds(labels)
    for label in "ab":
        assert np.bincount(fold[labels == label]).tolist() == [2] * 5


def test_groups_stay_together_and_are_shared_out_by_size():
    groups = np.repeat(np.arange(8), [10, 10, 1, 1, 2, 2, 5, 5])
    fold = folds(groups=groups, n_rows=len(groups), n_folds=2)
    assert all(len(np.unique(fold[groups == group])) == 1 for group in range(8))
    assert np.bincount(fold).tolist() == [18, 18]


def test_one_group_cannot_be_left_out():
    with pytest.raises(ValueError, match="groups must name at least 2 groups"):
        folds(groups=np.zeros(20))
