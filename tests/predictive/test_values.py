import numpy as np
import pytest

from antireg.predictive.values import LARGEST, mean_over_members, member_values


def test_infinite_values_become_the_largest_float() -> None:
    values = member_values([[[np.inf, -np.inf, 1.0]]], "means")
    assert values.tolist() == [[[LARGEST, -LARGEST, 1.0]]]


@pytest.mark.parametrize("shape", [(3,), (2, 3), (0, 2, 1), (2, 0, 1)])
def test_other_shapes_are_refused_by_name(shape) -> None:
    with pytest.raises(ValueError, match=r"means must be \(members, rows, outputs\)"):
        member_values(np.zeros(shape), "means")


def test_nan_is_refused_and_counted() -> None:
    with pytest.raises(ValueError, match="means must not hold NaN, got 2 of them"):
        member_values([[[np.nan, 1.0, np.nan]]], "means")


def test_the_mean_of_the_largest_floats_is_the_largest_float() -> None:
    assert mean_over_members(np.full((1000, 1, 1), LARGEST)).item() == LARGEST


def test_the_mean_matches_a_hand_value() -> None:
    assert mean_over_members(np.array([[[1.0]], [[2.0]], [[6.0]]])).item() == 3.0
