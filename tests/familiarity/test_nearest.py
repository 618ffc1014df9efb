import numpy as np
import pytest

from antireg.familiarity import SIGNALS, Reference, Seen


def test_score_matches_hand_values():
    known = Reference(np.arange(6.0)[:, None], np.ones(1))
    signal = SIGNALS["nearest"]
    memory = signal.init(known)
    # Fifth neighbours are at 5, 4, 3, 3, 4, 5: φ = .04.
    rows = Seen(np.array([[7.0], [2.0]]), np.ones(2))
    scores = signal.score(rows, known, memory)
    assert scores == pytest.approx([np.log(2.04), np.log(0.04)])
