"""Which rows of a table are shifted."""

import numpy as np
from benchmarks.leaderboard.tasks.uci import shifted


def test_a_third_of_the_rows_is_shifted_along_the_first_component():
    along = np.random.default_rng(0).permutation(np.arange(60.0))
    x = np.column_stack([along, -2 * along, np.ones(60)])
    inner, outer = shifted(x, "inner"), shifted(x, "outer")
    assert set(along[inner]) == set(range(20, 40))
    assert set(along[outer]) == {*range(10), *range(50, 60)}
