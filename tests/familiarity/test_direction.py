import numpy as np
import pytest

from antireg.familiarity import SIGNALS, Reference, Seen
from antireg.familiarity.joining import usable_signals

SIGNAL = SIGNALS["direction"]


def test_score_matches_hand_values():
    known = Reference(np.array([[3.0, 0.0], [0.0, 0.5]]), np.ones(2))
    memory = SIGNAL.init(known)
    # The two directions are √2 apart: φ = .01 √2. Length does not count: (9, 0) is
    # there, and (−1, 0) is 2 from one and √2 from the other.
    rows = Seen(np.array([[9.0, 0.0], [-1.0, 0.0]]), np.ones(2))
    floor = 0.01 * np.sqrt(2)
    expected = [np.log(floor), np.log(np.sqrt(2) + floor)]
    assert SIGNAL.score(rows, known, memory) == pytest.approx(expected)


def test_a_row_of_zeros_has_no_direction_and_a_finite_score():
    known = Reference(np.eye(3), np.ones(3))
    rows = Seen(np.zeros((1, 3)), np.ones(1))
    assert np.isfinite(SIGNAL.score(rows, known, SIGNAL.init(known))).all()


@pytest.mark.parametrize(("n_columns", "usable"), [(49, False), (50, True)])
def test_it_is_for_many_columns_of_many_values(n_columns, usable):
    words = np.repeat(np.eye(100), 2, axis=0)
    features = np.random.default_rng(0).normal(size=(200, n_columns))
    inputs = np.hstack([words, features])
    known = Reference(inputs, np.ones(inputs.shape[1]))
    assert ("direction" in usable_signals(known)) == usable
