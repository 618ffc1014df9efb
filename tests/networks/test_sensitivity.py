import numpy as np
import pytest
import torch
from torch import nn

from antireg.networks import mlp, modules
from antireg.networks.sensitivity import ROWS_AT_ONCE, sensitivity
from tests.steps import linear


def test_lines_match_hand_value_whatever_the_rows():
    network = linear([[2.0, 1.0], [-1.0, 0.5]])  # 2x + 1 and −x + ½
    found = sensitivity(network, torch.randn(ROWS_AT_ONCE + 3, 1), lambda out: out)
    assert found == pytest.approx([np.sqrt((4 + 1) / 2)])


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_it_is_that_of_small_steps(activation):
    network = mlp([3, 8, 8, 2], activation, seeds=[0, 1])
    x = torch.randn(20, 3, generator=torch.Generator().manual_seed(0))

    def answers(outputs):
        return outputs.square()

    found = sensitivity(network, x, answers)
    step, total = 1e-3, np.zeros(3)
    for column in range(3):
        change = torch.zeros(3)
        change[column] = step
        with torch.no_grad():
            above, below = answers(network(x + change)), answers(network(x - change))
        slope = (above - below).double() / (2 * step)
        total[column] = slope.square().mean().sqrt()
    # Single precision over a step of a thousandth.
    np.testing.assert_allclose(found, total, rtol=0.02)


def test_any_network_has_one_and_unused_inputs_have_none():
    class First(nn.Module):
        def __init__(self):
            super().__init__()
            self.line = nn.Linear(1, 1)

        def forward(self, x):
            return self.line(x[:, :1])

    network = modules(First(), 2, 1, seeds=[0, 1])
    found = sensitivity(network, torch.ones(4, 2), lambda out: out)
    slopes = network.weights()["line.weight"].detach().numpy().ravel()
    assert found[0] == pytest.approx(np.sqrt(np.square(slopes).mean()), rel=1e-6)
    assert found[1] == 0
