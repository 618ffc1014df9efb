import numpy as np
import pytest

from antireg.familiarity import SIGNALS, Reference, Seen


def test_a_column_that_does_not_matter_does_not_count():
    inputs = np.array([[0.0, 0.0], [1.0, 9.0], [2.0, -9.0]])
    known = Reference(inputs, np.array([1.0, 0.0]))
    signal = SIGNALS["sensitive"]
    memory = signal.init(known)
    # There are only two others: at most 2, 1, 2 away, so φ = .02; 5 is 3 from 2.
    score = signal.score(Seen(np.array([[5.0, 100.0]]), np.ones(1)), known, memory)
    assert score == pytest.approx([np.log(3.02)])
