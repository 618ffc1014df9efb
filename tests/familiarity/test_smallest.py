import numpy as np
import pytest

from antireg.familiarity.smallest import GROUP, smallest


def test_the_two_smallest_by_hand():
    values = np.arange(2 * GROUP, dtype=np.float32)[None].repeat(2, 0)
    values[0, [20, 3]] = -1.0, -2.0
    assert [set(row) for row in smallest(values, 2).tolist()] == [{3, 20}, {0, 1}]
    assert smallest(values, 1).tolist() == [[3], [0]]


@pytest.mark.parametrize("k", [1, 2, 5, 10])
@pytest.mark.parametrize("n_values", [1000, 3])
def test_what_is_found_is_what_sorting_finds(k, n_values):
    """With three values there are as many ties as there can be."""
    rng = np.random.default_rng(k)
    values = rng.integers(n_values, size=(50, 8 * GROUP)).astype(np.float32)
    found = smallest(values, k)
    assert all(len(set(row)) == k for row in found.tolist())
    chosen = np.sort(np.take_along_axis(values, found, axis=1), axis=1)
    np.testing.assert_array_equal(chosen, np.sort(values, axis=1)[:, :k])
