import pytest
import torch

from antireg.methods import NegativeCorrelation
from tests.steps import linear, step_of


def test_penalty_matches_hand_value() -> None:
    # Constant members 1, 2, 6: mean 3, away −2, −1, 3. Member 0: −2·(−1 + 3) = −4;
    # member 1: −1·(−2 + 3) = −1; member 2: 3·(−2 − 1) = −9; halved.
    step = step_of(linear([[0.0, 1.0], [0.0, 2.0], [0.0, 6.0]]))
    penalty = NegativeCorrelation(strength=0.5).penalty(step, None)
    assert penalty.tolist() == pytest.approx([-2.0, -0.5, -4.5])


def test_gradient_holds_the_mean_and_the_others_fixed() -> None:
    network = linear([[0.0, 1.0], [0.0, 2.0], [0.0, 6.0]])
    NegativeCorrelation(strength=1.0).penalty(step_of(network), None).sum().backward()
    assert network.flat.grad is not None
    # The gradient at f_m is Σ_{j≠m}(f_j − f̄): 2, 1, −3.
    assert network.flat.grad[:, 1].tolist() == pytest.approx([2.0, 1.0, -3.0])
    assert torch.equal(network.flat.grad[:, 0], torch.zeros(3))
