import numpy as np
import pytest

from antireg.familiarity import SIGNALS, Reference, Seen
from antireg.familiarity.columns import neighbours, usual_range

SIGNAL = SIGNALS["columns"]


def scores(reference, rows):
    known = Reference(np.asarray(reference, float), np.ones(len(reference[0])))
    seen = Seen(np.asarray(rows, float), np.ones(len(rows)))
    return SIGNAL.score(seen, known, SIGNAL.init(known))


def test_score_matches_hand_values():
    column = [[float(value)] for value in range(10)]
    # Every reference is 1 from its neighbour. 4.5 is nearer: −log(11/11). 12 is 3 away,
    # as no reference is: −log(1/11) + log 3.
    assert scores(column, [[4.5], [12.0]]) == pytest.approx(
        [0.0, np.log(11) + np.log(3)]
    )


def test_a_hole_in_the_seen_values_counts_like_the_outside():
    column = [
        [value] for value in (0.0, 1.0, 2.0, 3.0, 4.0, 10.0, 11.0, 12.0, 13.0, 14.0)
    ]
    assert scores(column, [[7.0]]) == pytest.approx([np.log(11) + np.log(3)])


def test_the_worst_column_counts():
    column = [[float(value), 0.1 * value] for value in range(10)]
    both, first = scores(column, [[12.0, 0.5], [5.0, 0.5]])
    assert both == pytest.approx(np.log(11) + np.log(3))
    assert first == 0


def test_a_value_must_come_more_than_once_in_many_rows():
    assert [neighbours(n) for n in (10, 249, 250, 1000)] == [1, 1, 2, 5]
    column = np.concatenate([np.linspace(0, 1, 999), [5.0]])[:, None]
    assert scores(column, [[5.0]]).item() > 5  # once in a thousand rows is rare


def test_a_column_of_one_value_flags_any_other():
    same, other = scores([[3.0]] * 20, [[3.0], [3.1]])
    assert same == 0
    assert other > np.log(21)


def test_the_usual_range_matches_hand_values():
    column = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 10.0, 11.0, 12.0, 13.0, 14.0])[:, None]
    memory = SIGNAL.init(Reference(column, np.ones(1)))
    # Every reference is 1 from its neighbour: with no nearer one allowed, all within 1
    # of the lower half, which has the middle value, score 0.
    assert [end.tolist() for end in usual_range(memory, 0.0)] == [[-1.0], [5.0]]
    low, high = usual_range(memory, -np.inf)  # nothing scores below 0
    assert low > high


@pytest.mark.parametrize(
    "kind", ["normal", "counts", "binary", "constant", "two heaps"]
)
def test_no_value_of_the_usual_range_scores_higher(kind):
    rng = np.random.default_rng(0)
    column = {
        "normal": rng.normal(size=900),
        "counts": rng.poisson(4, size=900),
        "binary": rng.integers(2, size=900),
        "constant": np.ones(900),
        "two heaps": np.concatenate([rng.normal(size=450), rng.normal(30, 1, 450)]),
    }[kind].astype(float)
    known = Reference(column[:, None], np.ones(1))
    memory = SIGNAL.init(known)
    for least in (0.0, 0.5, 2.0, 4.0, 9.0):
        (low,), (high,) = usual_range(memory, least)
        if low <= high:
            rows = np.concatenate([np.linspace(low, high, 500), column])
            rows = rows[(rows >= low) & (rows <= high), None]
            assert SIGNAL.score(Seen(rows, None), known, memory).max() <= least + 1e-9
    # A least of 9 is above every score in a range, if there is one around the median.
    assert (low <= high) == (kind != "two heaps")


def test_a_value_that_is_no_number_is_not_usual():
    known = Reference(np.arange(9.0)[:, None], np.ones(1))
    rows = Seen(np.array([[np.nan], [4.0]]), None)
    odd, usual = SIGNAL.score_above(rows, known, SIGNAL.init(known), 1.0)
    assert np.isnan(odd)
    assert usual <= 1
