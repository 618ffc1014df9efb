import numpy as np
import pytest

from antireg.familiarity.references import ENOUGH, MOST, affordable, reference_rows


@pytest.mark.parametrize(("n_rows", "kept"), [(1, 1), (50, 50), (MOST + 5, MOST)])
def test_each_row_is_kept_once_and_no_more_than_so_many(n_rows, kept):
    places = reference_rows(n_rows, seed=0)
    assert len(places) == kept
    assert len(np.unique(places)) == kept
    assert 0 <= places.min() <= places.max() < n_rows


def test_the_same_seed_keeps_the_same_rows_in_random_order():
    first, second = reference_rows(500, 1, most=100), reference_rows(500, 1, most=100)
    np.testing.assert_array_equal(first, second)
    assert (first != reference_rows(500, 2, most=100)).any()
    assert (np.diff(first) < 0).any()


def test_comparing_costs_about_as_much_as_predicting():
    # 5 networks of 3 × 100 units and 64 inputs; the same of 2048 inputs; and between.
    assert affordable(5 * 26_902) == ENOUGH
    assert affordable(5 * 225_302) == MOST
    assert affordable(400_000) == 5000
