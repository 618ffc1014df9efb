import numpy as np
import pytest

from antireg.rows.holdout import groups_to_leave_out, hold_out, hold_out_groups


def test_every_class_gives_its_share() -> None:
    classes = np.repeat([0, 1, 2], [100, 60, 40])
    held = hold_out(classes, 0.1, np.random.default_rng(0))
    assert held.sum() == 20
    assert [int(held[classes == c].sum()) for c in range(3)] == pytest.approx(
        [10, 6, 4], abs=1
    )


def test_a_class_of_one_row_is_trained_on() -> None:
    classes = np.array(["a"] * 9 + ["b"])
    for seed in range(20):
        assert not hold_out(classes, 0.5, np.random.default_rng(seed))[-1]


def test_at_least_one_row_is_held_out() -> None:
    assert hold_out(np.zeros(3), 0.01, np.random.default_rng(0)).sum() == 1


def test_same_seed_same_rows_and_another_seed_others() -> None:
    masks = [hold_out(np.zeros(50), 0.2, np.random.default_rng(s)) for s in (0, 0, 1)]
    assert np.array_equal(masks[0], masks[1])
    assert not np.array_equal(masks[0], masks[2])


def test_one_row_is_too_few() -> None:
    with pytest.raises(ValueError, match=r"at least 2 rows.*n_samples=1"):
        hold_out(np.zeros(1), 0.1, np.random.default_rng(0))


def test_rows_of_a_class_each_leave_nothing_to_hold_out() -> None:
    with pytest.raises(ValueError, match="more rows than classes, got 3 rows"):
        hold_out(np.arange(3), 0.1, np.random.default_rng(0))


@pytest.mark.parametrize("fraction", [0.1, 0.3])
def test_groups_are_held_out_whole_and_about_as_many_rows_as_asked(fraction):
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 60, 1000)
    mask = hold_out_groups(groups, np.zeros(1000), fraction, rng)
    assert not set(groups[mask]) & set(groups[~mask])
    assert fraction * 1000 <= mask.sum() <= 2 * fraction * 1000


def test_of_two_large_groups_the_smaller_is_held_out():
    groups = np.array(["a"] * 60 + ["b"] * 40)
    mask = hold_out_groups(groups, np.zeros(100), 0.1, np.random.default_rng(0))
    assert set(groups[mask]) == {"b"}


def test_a_group_with_all_rows_of_a_class_is_not_held_out():
    groups, labels = np.repeat([0, 1, 2, 3], 25), np.repeat([0, 1, 0, 1], 25)
    labels[groups == 3] = 2
    for seed in range(20):
        mask = hold_out_groups(groups, labels, 0.1, np.random.default_rng(seed))
        assert set(labels[~mask]) == {0, 1, 2}
        assert set(groups[mask]) <= {0, 2}


def test_groups_that_cannot_be_held_out_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="at least 2 groups"):
        hold_out_groups(np.zeros(9), np.zeros(9), 0.1, rng)
    with pytest.raises(ValueError, match="rows of every class"):
        hold_out_groups(np.array([0, 0, 1]), np.array([0, 0, 1]), 0.1, rng)


def test_parts_to_leave_out_are_whole_groups_and_each_row_is_in_one():
    groups = np.random.default_rng(1).integers(0, 12, 200)
    parts = groups_to_leave_out(groups, np.zeros(200), 5, np.random.default_rng(0))
    assert sorted(np.concatenate(parts)) == list(range(200))
    for part in parts:
        assert not set(groups[part]) & set(np.delete(groups, part))


def test_a_part_with_all_rows_of_a_class_is_not_left_out():
    groups, labels = np.repeat([0, 1, 2], 10), np.repeat([0, 0, 1], 10)
    parts = groups_to_leave_out(groups, labels, 5, np.random.default_rng(0))
    assert sorted(np.concatenate(parts)) == list(range(20))
