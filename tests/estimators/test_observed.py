import numpy as np

from antireg.estimators.observed import Observed, joined
from antireg.familiarity.line import Fallback


def part(n_rows, line=True):
    numbers = np.arange(float(n_rows))[:, None]
    said = Fallback(numbers, numbers + 1) if line else None
    signals = {"nearest": numbers[:, 0]}
    return Observed(numbers[None], signals, numbers, numbers[:, 0], said)


def test_parts_are_joined_row_by_row():
    found = joined([part(2), part(3)])
    rows = [0.0, 1.0, 0.0, 1.0, 2.0]
    assert found.outputs.ravel().tolist() == rows
    assert found.signals["nearest"].tolist() == found.weight.tolist() == rows
    assert found.targets.ravel().tolist() == found.on_line.ravel().tolist() == rows
    assert joined([part(2), part(3, line=False)]).on_line is None
