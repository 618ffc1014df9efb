import numpy as np
import pytest

from antireg.estimators.stored_parts import (
    held_out_scores_from,
    interval_arrays,
    interval_factors_from,
    scaling_from,
)
from antireg.predictive.intervals import IntervalFactors
from antireg.storage.fields import Fields

FIELDS = Fields("model", {})


class Given:
    """Arrays as a file would hold them."""

    def __init__(self, **arrays):
        self.arrays = arrays

    def take(self, name, dtype, shape):
        return np.asarray(self.arrays[name], dtype)


def test_a_scaling_is_a_shift_and_a_scale_above_0():
    found = scaling_from(FIELDS, Given(x_shift=[1.0], x_scale=[2.0]), "x", 1)
    assert found.scaled(np.array([[5.0]])) == [[2.0]]
    with pytest.raises(ValueError, match="x_scale must be above 0"):
        scaling_from(FIELDS, Given(x_shift=[1.0], x_scale=[0.0]), "x", 1)


def test_scores_between_those_stored_are_filled_in_by_rank():
    arrays = Given(held_out_scores=[1.0, 3.0], held_out_ranks=[1, 3])
    # Of three scores the first and the last are known: the other is between them.
    low, middle, high = held_out_scores_from(FIELDS, arrays)
    assert (low, high) == (1.0, 3.0)
    assert low <= middle <= high
    assert held_out_scores_from(FIELDS, arrays, ranked=False).tolist() == [1.0, 3.0]


@pytest.mark.parametrize(
    ("scores", "ranks", "rule"),
    [
        ([], [], "one or more, ascending"),
        ([2.0, 1.0], [1, 2], "one or more, ascending"),
        ([1.0, 2.0], [2, 3], "must ascend from 1"),
        ([1.0, 2.0], [1, 1], "must ascend from 1"),
    ],
)
def test_scores_and_ranks_ascend(scores, ranks, rule):
    with pytest.raises(ValueError, match=rule):
        held_out_scores_from(
            FIELDS, Given(held_out_scores=scores, held_out_ranks=ranks)
        )


@pytest.mark.parametrize(
    ("coverages", "factors", "rule"),
    [
        ([0.0, 0.5], [[1.0], [1.0]], "must ascend between 0 and 1"),
        ([0.5, 0.5], [[1.0], [1.0]], "must ascend between 0 and 1"),
        ([0.5, 0.9], [[1.0], [-1.0]], "must be 0 or more"),
    ],
)
def test_factors_that_no_fit_wrote_are_refused(coverages, factors, rule):
    given = Given(interval_coverages=coverages, interval_factors=factors)
    with pytest.raises(ValueError, match=rule):
        interval_factors_from(FIELDS, given, 1)


@pytest.mark.parametrize("outside", [0.9, 1e4, np.nan])
def test_intervals_are_not_narrowed_or_blown_up_where_there_is_doubt(outside):
    written = IntervalFactors(np.array([0.5]), np.ones((1, 1)), outside)
    given = Given(**interval_arrays(written, doubted=True))
    with pytest.raises(ValueError, match="interval_outside must be 1 to 1000"):
        interval_factors_from(FIELDS, given, 1, n_outside=2)


@pytest.mark.parametrize("outside", [(), (3.0,), (3.0, 1.5)])
def test_factors_come_back_as_they_were(outside):
    levels, factors = np.array([0.5, 0.9]), np.array([[1.0], [2.0]])
    written = IntervalFactors(levels, factors, *outside)
    given = Given(**interval_arrays(written, bool(outside)))
    if len(outside) == 1:  # as formats before 7 had it
        given.arrays["interval_outside"] = outside
    found = interval_factors_from(FIELDS, given, 1, n_outside=len(outside))
    assert found.at(0.9) == pytest.approx(2.0)
    assert (found.outside, found.simple) == (written.outside, written.simple)
