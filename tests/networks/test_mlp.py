import pytest
import torch
from torch import nn

from antireg.networks import ACTIVATIONS, mlp

SEEDS = [3, 4]


def plain(stack, member: int, x: torch.Tensor) -> torch.Tensor:
    """The same member, written as a loop over layers in plain PyTorch."""
    activation = {
        "relu": torch.relu,
        "leaky_relu": lambda a: nn.functional.leaky_relu(a, 0.01),
        "tanh": torch.tanh,
        "sigmoid": torch.sigmoid,
        "identity": lambda a: a,
    }[stack.activation]
    weights = stack.weights()
    n_layers = len(weights) // 2
    for layer in range(n_layers):
        x = x @ weights[f"kernel{layer}"][member] + weights[f"bias{layer}"][member]
        if layer < n_layers - 1:
            x = activation(x)
    return x


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_stack_and_its_gradient_equal_plain_networks(activation: str) -> None:
    stack = mlp([3, 6, 5, 2], activation, seeds=SEEDS)
    x = torch.randn(2, 7, 3, generator=torch.Generator().manual_seed(0))
    outputs = stack(x)
    by_loop = torch.stack([plain(stack, m, x[m]) for m in range(2)])
    torch.testing.assert_close(outputs, by_loop)
    (ours,) = torch.autograd.grad(outputs.square().sum(), stack.flat)
    (theirs,) = torch.autograd.grad(by_loop.square().sum(), stack.flat)
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_shared_rows_are_seen_by_every_member() -> None:
    stack = mlp([3, 6, 2], seeds=SEEDS)
    x = torch.randn(7, 3, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(stack(x), stack(x.expand(2, -1, -1).contiguous()))


def test_kernels_are_glorot_uniform_and_biases_zero() -> None:
    weights = mlp([300, 100, 1], seeds=[0]).weights()
    limit = (6 / 400) ** 0.5
    kernel = weights["kernel0"]
    assert kernel.abs().max() <= limit
    assert kernel.abs().max() > 0.99 * limit
    assert kernel.std().item() == pytest.approx(limit / 3**0.5, rel=0.02)
    assert not weights["bias0"].any()


def test_a_member_depends_on_its_own_seed_alone() -> None:
    assert torch.equal(
        mlp([2, 3, 1], seeds=[5, 6]).flat[1:], mlp([2, 3, 1], seeds=[6]).flat
    )


def test_activations_are_what_enters_each_layer() -> None:
    stack = mlp([2, 4, 3, 1], seeds=SEEDS)
    x = torch.randn(5, 2, generator=torch.Generator().manual_seed(0))
    entering = stack.activations(x)
    assert [tuple(a.shape) for a in entering] == [(2, 5, 2), (2, 5, 4), (2, 5, 3)]
    assert (entering[1] >= 0).all()


def test_a_predictor_says_the_same_bits_again_and_keeps_what_it_said() -> None:
    network, x = mlp([3, 8, 8, 2], seeds=[0, 1]), torch.randn(20, 3)
    with torch.no_grad():
        expected = network(x)
    outputs_of = network.predictor()
    first = outputs_of(x)
    outputs_of(x + 1)
    assert torch.equal(first, expected)
    assert torch.equal(outputs_of(x), expected)


@pytest.mark.parametrize("n_members", [1, 3])
def test_what_enters_the_last_layer_is_told_member_by_member(n_members):
    network = mlp([2, 4, 5, 1], seeds=range(n_members))
    x, view = torch.randn(6, 2), network.viewer()
    with torch.no_grad():
        outputs, hidden = view(x)
        expected = network.activations(x)[-1]
    torch.testing.assert_close(outputs, network(x).detach())
    assert hidden.shape == (6, 5 * n_members)
    for member in range(n_members):
        torch.testing.assert_close(
            hidden[:, 5 * member : 5 * (member + 1)], expected[member]
        )


def test_a_network_without_hidden_layers_tells_none():
    network = mlp([2, 1], seeds=[0])
    assert network.viewer()(torch.zeros(3, 2))[1] is None
