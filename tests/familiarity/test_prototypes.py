import numpy as np
import pytest

from antireg.familiarity.prototypes import FEWEST_ROWS, pooled_values, prototypes


def test_they_are_the_means_of_clusters():
    rng = np.random.default_rng(0)
    middles = np.array([[0.0, 0.0], [50.0, 0.0], [0.0, 80.0]])
    rows = np.repeat(middles, 20, axis=0) + 0.1 * rng.normal(size=(60, 2))
    found = prototypes(rows.astype(np.float32), most=6, seed=0)
    away = np.linalg.norm(found[:, None] - middles[None], axis=2)
    assert away.min(axis=1).max() < 0.3
    assert len(found) <= 6


def test_no_row_is_kept_as_it_is():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(400, 3)).astype(np.float32)
    rows[0] = 1000  # an outlier would have a prototype of its own
    found = prototypes(rows, most=200, seed=0)
    assert 10 < len(found) <= 40
    apart = np.abs(found[:, None] - rows[None]).max(axis=2)
    assert apart.min() > 0
    assert np.abs(found).max() < 1000


@pytest.mark.parametrize("n_rows", [1, 4, FEWEST_ROWS, 12])
def test_few_rows_have_their_mean(n_rows):
    rows = np.random.default_rng(2).normal(size=(n_rows, 2)).astype(np.float32)
    np.testing.assert_allclose(
        prototypes(rows, most=100, seed=0), rows.mean(0, keepdims=True), rtol=1e-5
    )


def test_the_same_seed_gives_the_same():
    rows = np.random.default_rng(3).normal(size=(300, 2)).astype(np.float32)
    np.testing.assert_array_equal(
        prototypes(rows, 100, seed=1), prototypes(rows, 100, seed=1)
    )


def test_values_are_pooled_by_their_order():
    column = np.array([[9.0], [1.0], [2.0], [3.0], [10.0], [5.0]])
    np.testing.assert_allclose(pooled_values(column, 2), [[2.0], [8.0]])
    both = np.hstack([column, -column])
    np.testing.assert_allclose(pooled_values(both, 2), [[2.0, -8.0], [8.0, -2.0]])
