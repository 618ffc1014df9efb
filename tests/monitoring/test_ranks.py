import numpy as np
import pytest

from antireg.monitoring.ranks import Ranks, keys_of


def test_a_p_value_counts_scores_above_and_a_share_of_those_as_high():
    ranks = Ranks.of(np.array([1, 2, 2, 3]))
    # Above 2 is one; with the new one three are as high; five in all.
    assert ranks.p_value(2, 0.5) == pytest.approx((1 + 0.5 * 3) / 5)
    # It was added: above 0 are now all five, of six.
    assert ranks.p_value(0, 1.0) == pytest.approx(1)
    assert ranks.p_value(9, 0.25) == pytest.approx(0.25 / 7)
    assert ranks.keys == [0, 1, 2, 3, 9]
    assert ranks.counts.tolist() == [1, 1, 3, 1, 1]


def test_keys_keep_the_order_of_scores_and_join_near_ones():
    scores = np.array([-2.0, -1.0, -0.0, 0.0, 1e-300, 0.5, 1.0, 1.1, 1e9, 1e308])
    keys = keys_of(scores)
    assert (np.diff(keys) >= 0).all()
    assert keys[2] == keys[3] == 0
    near = keys_of(np.array([1.0, 1 + 1 / 300, 1 + 1 / 200]))
    assert near[0] == near[1] < near[2]


@pytest.mark.parametrize("n_known", [1, 20])
def test_p_values_of_familiar_rows_are_uniform_however_few_rows_are_known(n_known):
    rng = np.random.default_rng(0)
    found = []
    for _ in range(2000):
        scores = rng.integers(0, 5, n_known + 3).astype(float)  # many are equal
        keys = keys_of(scores)
        ranks = Ranks.of(keys[:n_known])
        found.append([ranks.p_value(int(key), rng.random()) for key in keys[n_known:]])
    for column in np.array(found).T:
        counts = np.histogram(column, bins=5, range=(0, 1))[0]
        # Each of five bins has 400 of 2,000 expected, with a deviation of 18.
        assert np.abs(counts - 400).max() < 5 * 18
    correlated = np.corrcoef(np.array(found).T)[np.triu_indices(3, 1)]
    assert np.abs(correlated).max() < 5 / 2000**0.5
