import numpy as np
import pytest

from antireg.familiarity import SIGNALS, Reference, Seen
from antireg.familiarity.joining import Normalisation, usable_signals


def test_it_is_the_logarithm_of_the_uncertainty():
    rows = Seen(np.zeros((2, 1)), np.array([0.5, 2.0]))
    known = Reference(np.zeros((1, 1)), np.ones(1))
    found = SIGNALS["entropy"].score(rows, known, {})
    assert found == pytest.approx(np.log([0.5, 2.0]))


def test_only_classifiers_have_it():
    known = Reference(np.zeros((2, 1)), np.ones(1))
    assert "entropy" in usable_signals(known, classes=True)
    assert "entropy" not in usable_signals(known)


def test_it_counts_four_times_for_the_flag_and_not_for_doubt():
    names = ["nearest", "spread", "entropy"]
    normal = Normalisation(dict.fromkeys(names, 1.0), dict.fromkeys(names, 2.0))
    signals = {name: np.array([2.0]) for name in names}  # each (2 − 1) / 2 above
    assert normal.flag(signals) == pytest.approx([0.5 + 0.5 + 4 * 0.5])
    assert normal.unfamiliar(signals) == pytest.approx([0.5])  # `spread` alone
