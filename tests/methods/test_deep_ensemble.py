import torch

from antireg.methods import DeepEnsemble
from tests.steps import linear, step_of


def test_nothing_is_added_to_the_fit() -> None:
    step = step_of(linear([[2.0, 1.0], [3.0, 0.0]]))
    assert DeepEnsemble().penalty(step, None).tolist() == [0, 0]


def test_control_is_off() -> None:
    assert DeepEnsemble().control(torch.tensor([0.0, 9.0])).tolist() == [0, 0]
