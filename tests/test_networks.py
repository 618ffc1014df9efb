import pytest
import torch
from torch import nn

from antireg.networks import ACTIVATIONS, mlp, modules

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


def test_global_randomness_is_left_alone() -> None:
    module = nn.Linear(2, 1)
    before = torch.random.get_rng_state()
    mlp([2, 3, 1], seeds=[0])
    modules(module, 2, 1, seeds=[0])
    assert torch.equal(before, torch.random.get_rng_state())


def test_activations_are_what_enters_each_layer() -> None:
    stack = mlp([2, 4, 3, 1], seeds=SEEDS)
    x = torch.randn(5, 2, generator=torch.Generator().manual_seed(0))
    entering = stack.activations(x)
    assert [tuple(a.shape) for a in entering] == [(2, 5, 2), (2, 5, 4), (2, 5, 3)]
    assert (entering[1] >= 0).all()


def test_a_copy_with_other_weights_leaves_the_first_alone() -> None:
    stack = mlp([2, 3, 1], seeds=SEEDS)
    copy = stack.with_weights(torch.zeros_like(stack.flat))
    assert not copy(torch.ones(1, 2)).any()
    assert stack.flat.any()


def own(n_inputs: int, n_outputs: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(n_inputs, 8), nn.LayerNorm(8), nn.SiLU(), nn.Linear(8, n_outputs)
    )


@pytest.mark.parametrize("network", [own, own(3, 2)], ids=["factory", "module"])
def test_any_module_is_stacked(network) -> None:
    stack = modules(network, 3, 2, seeds=SEEDS)
    x = torch.randn(7, 3, generator=torch.Generator().manual_seed(0))
    outputs = stack(x)
    assert outputs.shape == (2, 7, 2)
    assert not torch.allclose(outputs[0], outputs[1])
    weights = {name: w[1] for name, w in stack.weights().items()}
    one = torch.func.functional_call(stack.module, weights, (x,))
    torch.testing.assert_close(outputs[1], one)
    assert modules(network, 3, 2, seeds=SEEDS).flat.equal(stack.flat)


def test_dropout_is_off_without_gradients() -> None:
    module = nn.Sequential(nn.Linear(3, 50), nn.Dropout(0.5), nn.Linear(50, 1))
    stack = modules(module, 3, 1, seeds=SEEDS)
    x = torch.ones(4, 3)
    with torch.no_grad():
        assert torch.equal(stack(x), stack(x))
    assert not torch.equal(stack(x), stack(x))


def test_running_statistics_are_refused_with_a_way_out() -> None:
    module = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    with pytest.raises(ValueError, match=r"BatchNorm1d.*LayerNorm or GroupNorm"):
        modules(module, 3, 1, seeds=SEEDS)


def test_wrong_number_of_outputs_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must return \(rows, 2\).*got \(2, 1\)"):
        modules(nn.Linear(3, 1), 3, 2, seeds=SEEDS)


def test_layers_that_cannot_be_drawn_anew_ask_for_a_factory() -> None:
    class Scale(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.ones(3))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * self.scale

    with pytest.raises(ValueError, match=r"Scale without it.*n_inputs, n_outputs"):
        modules(Scale(), 3, 3, seeds=SEEDS)


def test_a_module_without_weights_is_refused() -> None:
    with pytest.raises(ValueError, match="weights to train"):
        modules(nn.Identity(), 3, 3, seeds=SEEDS)
