import numpy as np

from antireg.familiarity.regions import COARSE, rehearsal_sets


def table(n_rows=600, n_columns=5, seed=0):
    return np.random.default_rng(seed).normal(size=(n_rows, n_columns))


def test_coarse_and_fine_regions_each_cover_all_rows_once():
    sets = rehearsal_sets(table(), seed=0)
    assert len(sets) == 12
    for first in (0, COARSE):
        np.testing.assert_array_equal(np.sum(sets[first : first + 4], axis=0), 1)


def test_a_table_does_without_fine_regions_and_features_do_not():
    sets = rehearsal_sets(table(), seed=0, fine=False)
    assert len(sets) == 4 + 4  # and the tails of four columns
    np.testing.assert_array_equal(np.sum(sets[:4], axis=0), 1)
    wide = table(300, 4) @ table(4, 90, seed=1)
    assert len(rehearsal_sets(wide, seed=0, fine=False)) == 8
    few = np.random.default_rng(0).integers(0, 3, (600, 4)).astype(float)
    assert len(rehearsal_sets(few, seed=0, fine=False)) == 8  # there are no tails


def test_a_coarse_region_is_a_region():
    inputs = np.concatenate([table(200) * 0.1 + 5 * np.eye(5)[k] for k in range(4)])
    sets = rehearsal_sets(inputs, seed=0)
    assert sorted(np.flatnonzero(mask)[0] for mask in sets[:4]) == [0, 200, 400, 600]
    assert all(mask.sum() == 200 for mask in sets[:4])


def test_tails_are_both_ends_of_a_column():
    inputs = np.zeros((100, 2))
    inputs[:, 1] = np.arange(100)
    tail = rehearsal_sets(inputs, seed=0, groups=np.arange(100) % 2)[-1]
    # 12 % quantiles of 0 … 99 are 11.88 and 87.12.
    assert np.flatnonzero(tail).tolist() == [*range(12), *range(88, 100)]


def test_groups_are_left_out_whole():
    groups = np.repeat(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"], 40)
    sets = rehearsal_sets(np.ones((400, 3)), seed=0, groups=groups)
    assert len(sets) == 8
    np.testing.assert_array_equal(np.sum(sets, axis=0), 1)
    for mask in sets:
        assert all(len(set(mask[groups == name])) == 1 for name in set(groups))


def test_sets_of_nearly_no_or_most_rows_are_not_rehearsed():
    groups = np.array(["most"] * 900 + ["few"] * 5 + ["some"] * 95)
    sets = rehearsal_sets(np.ones((1000, 2)), seed=0, groups=groups)
    assert [mask.sum() for mask in sets] == [95]


def test_many_columns_are_cut_by_their_components_and_have_no_tails():
    wide = table(300, 4) @ table(4, 90, seed=1)
    sets = rehearsal_sets(wide, seed=0)
    assert len(sets) == 8
    np.testing.assert_array_equal(np.sum(sets[:4], axis=0), 1)


def test_the_same_seed_gives_the_same_sets_and_few_rows_none():
    first, second = rehearsal_sets(table(), 3), rehearsal_sets(table(), 3)
    np.testing.assert_array_equal(first, second)
    assert rehearsal_sets(np.ones((5, 2)), 0) == []
