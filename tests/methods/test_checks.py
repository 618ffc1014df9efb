import math
from fractions import Fraction

import numpy as np
import pytest

from antireg.methods.checks import is_auto, is_count, is_one_of, not_negative


@pytest.mark.parametrize("value", [0, 0.5, -1, True, np.float32(2), Fraction(1, 3)])
def test_a_number_is_not_left_to_the_method(value):
    assert not is_auto("strength", value)


def test_auto_is():
    assert is_auto("strength", "auto")


@pytest.mark.parametrize("value", ["Auto", "1", None, math.nan, 1j, [1.0], 10**400])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(ValueError, match='strength must be a number or "auto", got'):
        is_auto("strength", value)
    with pytest.raises(ValueError, match="strength must be a number, 0 or more, got"):
        not_negative("strength", value)


@pytest.mark.parametrize("value", [0, 0.0, 1e-300, np.float64(3), 1e6])
def test_numbers_from_0_on_are_taken(value):
    assert not_negative("strength", value) is None


@pytest.mark.parametrize("value", [-1, -1e-300, -math.inf])
def test_numbers_below_0_are_refused(value):
    with pytest.raises(ValueError, match=f"0 or more, got {value!r}"):
        not_negative("strength", value)


def test_numbers_that_training_cannot_take_are_refused():
    with pytest.raises(ValueError, match=r"strength must be 1e\+\d+ at most, got inf"):
        not_negative("strength", math.inf)


@pytest.mark.parametrize("value", [1, np.int64(7), 10])
def test_counts_up_to_the_most_are_taken(value):
    assert is_count("draws", value, 10) is None


@pytest.mark.parametrize("value", [0, 11, True, 2.0, "3", None, 10**400])
def test_what_is_no_count_is_refused(value):
    with pytest.raises(ValueError, match="draws must be a whole number from 1 to 10"):
        is_count("draws", value, 10)


def test_words_are_listed_to_who_writes_another():
    is_one_of("noise", "normal", ("normal", "uniform"))
    for value in ("x", None, 3):
        with pytest.raises(
            ValueError, match='noise must be "normal" or "uniform", got'
        ):
            is_one_of("noise", value, ("normal", "uniform"))
