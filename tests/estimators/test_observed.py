import numpy as np
import torch

from antireg.estimators.observed import Observed, joined, targets_of, weights_of
from antireg.familiarity.line import Fallback
from antireg.rows.data import Data


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


def test_rows_without_weights_count_one():
    data = Data(torch.zeros(2, 1), torch.tensor([[1.0], [2.0]]), None)
    assert weights_of(data).tolist() == [1.0, 1.0]
    assert targets_of(data).tolist() == [[1.0], [2.0]]
