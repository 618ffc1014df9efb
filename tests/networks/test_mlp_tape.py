import pytest
import torch

from antireg.networks import mlp


def one_unit():
    """y = 2 · relu(3 x + 1) + 5, twice; the weights of two members are the same."""
    stack = mlp([1, 1, 1], seeds=[0, 1])
    flat = torch.tensor([[3.0, 1.0, 2.0, 5.0]] * 2)
    return stack.with_weights(flat)


def test_a_pass_forward_and_back_by_hand():
    """At x = 1 relu gives 4, y is 13; dy = 1 gives 2x, 2, 4 and 1; at x = −1 only 1."""
    tape = one_unit().tape()
    x = torch.tensor([[[1.0]], [[-1.0]]])
    assert tape.forward(x).flatten().tolist() == [13.0, 5.0]
    gradient = torch.empty(2, 4)
    tape.backward(torch.ones(2, 1, 1), gradient)
    assert gradient.tolist() == [[2.0, 2.0, 4.0, 1.0], [0.0, 0.0, 0.0, 1.0]]
    assert tape.input_gradient(torch.ones(2, 1, 1)).flatten().tolist() == [6.0, 0.0]


@pytest.mark.parametrize("n_rows", [1, 3])
def test_a_second_pass_leaves_the_outputs_of_the_first_alone(n_rows):
    tape = one_unit().tape()
    first = tape.forward(torch.ones(2, n_rows, 1))
    tape.forward(torch.zeros(2, n_rows, 1))
    assert first.unique().tolist() == [13.0]
