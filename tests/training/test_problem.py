import dataclasses

import numpy as np
import pytest
import torch

from antireg.losses import SquaredError
from antireg.rows.data import Data
from antireg.training.problem import Problem, Settings


def test_a_problem_does_not_change() -> None:
    rows = Data(torch.zeros(2, 1), torch.zeros(2, 1))
    problem = Problem(rows, rows, SquaredError())
    with pytest.raises(dataclasses.FrozenInstanceError):
        problem.loss = SquaredError()  # type: ignore[misc]


def test_settings_of_some_members_have_their_seeds() -> None:
    whole = Settings(3, 8, 0.1, seeds=[5, 6, 7], seed=9)
    part = whole.of(range(1, 3))
    assert part.seeds == [6, 7]
    assert dataclasses.replace(part, seeds=[5, 6, 7]) == whole


def test_members_keep_rows_of_their_own():
    rows = [np.array([0]), np.array([1, 2]), np.array([3])]
    settings = Settings(epochs=1, batch_size=1, lr=0.1, seeds=[0, 1, 2], rows=rows)
    assert settings.of(range(1, 3)).rows == rows[1:]
    assert settings.of(range(1, 3)).seeds == [1, 2]
