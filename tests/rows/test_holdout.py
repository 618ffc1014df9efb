import numpy as np
import pytest

from antireg.rows.holdout import hold_out


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
