import numpy as np
import pytest

from antireg.familiarity import SIGNALS, Reference, Seen
from antireg.familiarity.spread import (
    disagreement,
    spread_of_classes,
    spread_of_means,
)


def test_spread_of_means_matches_hand_value():
    # Two targets: members 1 and 3 have the unbiased variance 2, 0 and 4 have 8.
    means = np.array([[[1.0, 0.0]], [[3.0, 4.0]]])
    assert disagreement(means) == pytest.approx(np.array([[2.0, 8.0]]))
    assert spread_of_means(means) == pytest.approx([10**0.5])
    rows = Seen(np.zeros((1, 1)), spread_of_means(means))
    known = Reference(np.zeros((1, 1)), np.ones(1))
    assert SIGNALS["spread"].score(rows, known, {}) == pytest.approx([0.5 * np.log(10)])


def test_one_member_agrees_with_itself():
    assert disagreement(np.ones((1, 3, 2))).tolist() == np.zeros((3, 2)).tolist()
    assert spread_of_means(np.ones((1, 3, 2))) == pytest.approx([1e-4] * 3)


def test_spread_of_classes_is_the_entropy():
    found = spread_of_classes(np.array([[0.5, 0.5], [1.0, 0.0]]))
    assert found == pytest.approx([np.log(2) + 1e-6, 1e-6])
