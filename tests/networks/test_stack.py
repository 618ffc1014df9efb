import torch
from torch import nn

from antireg.networks import mlp, modules
from tests.steps import linear

SEEDS = [3, 4]


def test_weights_are_named_views_of_each_members_row() -> None:
    stack = linear([[2.0, 1.0], [3.0, 4.0]])
    with torch.no_grad():
        weights = stack.weights()
        assert weights["kernel0"].tolist() == [[[2.0]], [[3.0]]]
        assert weights["bias0"].tolist() == [[1.0], [4.0]]
        stack.flat[1, 0] = 5.0
    assert weights["kernel0"].tolist() == [[[2.0]], [[5.0]]]
    assert stack.n_members == 2


def test_a_single_number_has_the_axis_of_members_alone() -> None:
    class Gain(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gain = nn.Parameter(torch.rand(()))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.gain * x

    stack = modules(lambda *_: Gain(), 1, 1, seeds=SEEDS)
    gains = stack.weights()["gain"]
    assert gains.shape == (2,)
    torch.testing.assert_close(stack(torch.tensor([[3.0]])).flatten(), 3 * gains)


def test_a_copy_with_other_weights_leaves_the_first_alone() -> None:
    stack = mlp([2, 3, 1], seeds=SEEDS)
    copy = stack.with_weights(torch.zeros_like(stack.flat))
    assert not copy(torch.ones(1, 2)).any()
    assert stack.flat.any()


def test_global_randomness_is_left_alone() -> None:
    module = nn.Linear(2, 1)
    before = torch.random.get_rng_state()
    mlp([2, 3, 1], seeds=[0])
    modules(module, 2, 1, seeds=[0])
    assert torch.equal(before, torch.random.get_rng_state())


def test_a_stack_moved_to_a_device_is_a_copy_ready_to_train() -> None:
    stack = mlp([2, 3, 1], seeds=SEEDS)
    moved = stack.to("cpu")
    assert torch.equal(moved.flat, stack.flat)
    assert moved.flat.data_ptr() != stack.flat.data_ptr()
    assert moved.flat.is_leaf
    assert moved.flat.requires_grad
