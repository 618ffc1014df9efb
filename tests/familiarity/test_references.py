import numpy as np
import pytest

from antireg.familiarity import references
from antireg.familiarity.references import (
    ENOUGH,
    MOST,
    affordable,
    most_references,
    reference_rows,
)
from antireg.networks import mlp


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


@pytest.mark.parametrize(
    ("sizes", "n_members", "most"),
    [
        ([3, 100, 100, 1], 5, MOST),
        ([3, 4096, 1], 5, 3276),  # 2²⁶ // (3 + 5 · 4096)
        ([100_000, 1], 1, 671),  # 2²⁶ // (100,000 + 1)
    ],
)
def test_large_members_have_fewer_references(sizes, n_members, most):
    network = mlp(sizes, seeds=range(n_members))
    assert most_references(network, sizes[0]) == most


def test_members_that_take_long_have_fewer_references(monkeypatch):
    monkeypatch.setattr(references, "MOST_PRODUCTS", 1000)
    assert most_references(mlp([3, 9, 1], seeds=range(2)), 3) == 10  # of 2 · 46 weights
