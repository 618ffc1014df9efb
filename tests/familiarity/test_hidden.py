import numpy as np
import pytest

from antireg.familiarity import SIGNALS, Reference, Seen


def test_score_is_by_the_nearest_in_the_last_layer():
    hidden = np.arange(6.0)[:, None]
    known = Reference(np.zeros((6, 2)), np.ones(2), hidden)
    signal = SIGNALS["hidden"]
    memory = signal.init(known)  # φ = .04, as in test_nearest
    row = Seen(np.zeros((1, 2)), np.ones(1), np.array([[10.0]]))
    # From 10 the nearest is 5.
    assert signal.score(row, known, memory) == pytest.approx([np.log(5.04)])


def test_rows_without_a_last_layer_are_refused():
    known = Reference(np.zeros((6, 2)), np.ones(2), np.arange(6.0)[:, None])
    signal = SIGNALS["hidden"]
    with pytest.raises(ValueError, match="hidden must be given"):
        signal.score(Seen(np.zeros((1, 2)), np.ones(1)), known, signal.init(known))
