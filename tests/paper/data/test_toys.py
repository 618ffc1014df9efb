import numpy as np
import pytest

from antireg.paper.data.toys import one_dimensional, truth, two_moons


def test_two_moons_has_the_papers_sizes_and_place():
    split = two_moons(seed=3)
    assert (len(split.train), len(split.validation), len(split.test)) == (200, 50, 1000)
    assert split.train.y is not None and np.bincount(split.train.y).tolist() == [
        100,
        100,
    ]
    # The outer moon is centred at (0, 2/π) before the shift, the inner at (1, ½−2/π).
    outer = split.test.x[split.test.y == 0].mean(0)
    assert outer == pytest.approx([-0.5, 2 / np.pi - 0.25], abs=0.03)


def test_one_dimensional_has_the_papers_clouds_and_noise():
    split = one_dimensional(seed=1)
    assert (len(split.train), len(split.validation)) == (100, 20)
    left = split.test.x[split.test.x < 0.125]
    right = split.test.x[split.test.x > 0.125]
    assert len(left) == len(right) == 500
    assert (left.mean(), right.mean()) == pytest.approx((-0.5, 0.75), abs=0.02)
    assert (left.std(), right.std()) == pytest.approx((0.1, 0.1), abs=0.01)
    noise = split.test.y - truth(split.test.x[:, 0])
    assert noise.std() == pytest.approx(0.02, abs=0.002)


def test_truth_matches_hand_values():
    # .3·¼ + .3·sin(π/2) + .3·sin(π);  .3·⅛ + .3·√½ + .3·1
    assert truth(np.array([0.25, 0.125])) == pytest.approx([0.375, 0.5496320])


@pytest.mark.parametrize("make", [two_moons, one_dimensional])
def test_the_seed_decides_the_points(make):
    assert (make(5).train.x == make(5).train.x).all()
    assert (make(5).train.x != make(6).train.x).any()
    assert make(5).train.x.dtype == np.float32
