import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import nn

from antireg.networks import modules

SEEDS = [3, 4]


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


def test_threads_predict_with_one_module_in_turn() -> None:
    stack = modules(own, 3, 2, seeds=SEEDS)
    rows = torch.randn(200, 5, 3, generator=torch.Generator().manual_seed(0))

    @torch.no_grad()
    def predicted(part: torch.Tensor) -> torch.Tensor:
        outputs_of = stack.predictor()
        return torch.stack([outputs_of(x) for x in part])

    alone = predicted(rows)
    with ThreadPoolExecutor(2) as pool:
        for both in pool.map(predicted, [rows, rows]):
            assert torch.equal(both, alone)


def test_threads_draw_the_starts_of_their_seeds() -> None:
    def slow(n_inputs: int, n_outputs: int) -> nn.Module:
        first = nn.Linear(n_inputs, 4)
        time.sleep(0.01)
        return nn.Sequential(first, nn.Linear(4, n_outputs))

    alone = modules(slow, 3, 2, seeds=SEEDS).flat
    with ThreadPoolExecutor(2) as pool:
        for stack in pool.map(lambda _: modules(slow, 3, 2, seeds=SEEDS), range(2)):
            assert torch.equal(stack.flat, alone)


class Breakable(nn.Linear):
    """Runs out of something after a while, as memory may."""

    left = True

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.left:
            raise RuntimeError("nothing is left")
        return super().forward(x)


def test_an_error_of_a_later_pass_is_not_taken_for_a_limit_of_vmap() -> None:
    stack = modules(Breakable(3, 2), 3, 2, seeds=SEEDS)
    stack.module.left = False
    with pytest.raises(RuntimeError, match="nothing is left"):
        stack(torch.ones(4, 3))
    stack.module.left = True
    stack(torch.ones(4, 3))
    assert not stack.one_by_one


class Branching(nn.Linear):
    """Its `if` on values stops `torch.func.vmap`, in one mode only."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        outputs = super().forward(x)
        if not self.training and bool((outputs > 1e30).any()):
            return outputs.clamp(max=1e30)
        return outputs


def test_whether_members_run_together_is_decided_when_the_stack_is_made() -> None:
    assert modules(Branching(3, 2), 3, 2, seeds=SEEDS).one_by_one
    assert not modules(own, 3, 2, seeds=SEEDS).one_by_one


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (torch.ones(1), torch.zeros(1)),
        (lambda x: x + 1, lambda x: x + 2),
        ({"power": 1}, {"power": 2}),
    ],
    ids=["tensors", "functions", "dicts"],
)
def test_what_a_layer_holds_is_part_of_the_architecture(one, other) -> None:
    def architecture(value: object) -> str:
        module = nn.Linear(3, 2)
        module.value = value
        return modules(module, 3, 2, seeds=SEEDS).architecture()

    assert architecture(one) == architecture(one) != architecture(other)


def test_running_statistics_are_refused_with_a_way_out() -> None:
    module = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    with pytest.raises(ValueError, match=r"BatchNorm1d.*LayerNorm or GroupNorm"):
        modules(module, 3, 1, seeds=SEEDS)


def test_wrong_number_of_outputs_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must return \(rows, 2\).*got \(5, 1\)"):
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


def test_frozen_weights_are_neither_drawn_anew_nor_trained() -> None:
    module = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    module[0].requires_grad_(False)
    stack = modules(module, 3, 1, seeds=SEEDS)
    assert set(stack.weights()) == {"2.weight", "2.bias"}
    x = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
    weights = {name: w[0] for name, w in stack.weights().items()}
    one = torch.func.functional_call(module, weights, (x,))
    torch.testing.assert_close(stack(x)[0], one)


def test_members_that_start_alike_are_refused() -> None:
    module = nn.Linear(3, 1)
    with pytest.raises(ValueError, match="the same weights twice"):
        modules(lambda *_: module, 3, 1, seeds=SEEDS)


def test_buffers_must_be_the_same_in_all_members() -> None:
    class Noisy(nn.Linear):
        def __init__(self) -> None:
            super().__init__(3, 1)
            self.register_buffer("noise", torch.randn(3))

    with pytest.raises(ValueError, match="the same buffers and frozen weights"):
        modules(lambda *_: Noisy(), 3, 1, seeds=SEEDS)


def test_batch_norm_without_statistics_is_refused_too() -> None:
    module = nn.Sequential(
        nn.Linear(3, 4), nn.BatchNorm1d(4, track_running_stats=False), nn.Linear(4, 1)
    )
    with pytest.raises(ValueError, match="depend on the batch"):
        modules(module, 3, 1, seeds=SEEDS)


def test_a_module_for_other_inputs_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must take inputs \(rows, 3\)"):
        modules(nn.Linear(7, 1), 3, 1, seeds=SEEDS)


class Narrow(nn.Module):
    """A class of the user's that is no function of two numbers."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, width), nn.Linear(width, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


def test_a_class_in_the_place_of_a_module_is_refused_with_both_ways_out() -> None:
    with pytest.raises(
        ValueError,
        match=r"network must be a module, or a function \(n_inputs, n_outputs\) -> "
        r"module, got the class Narrow, which cannot be called with \(3, 2\): .*\. "
        r"Pass network=Narrow\(\.\.\.\), or network=lambda n_inputs, n_outputs: ",
    ):
        modules(Narrow, 3, 2, seeds=SEEDS)
    assert modules(Narrow(), 3, 2, seeds=SEEDS).n_members == 2


def test_a_class_that_takes_both_numbers_is_a_function() -> None:
    assert modules(nn.Linear, 3, 2, seeds=SEEDS).n_members == 2


@pytest.mark.parametrize("network", [lambda n: nn.Linear(n, 2), lambda n, m: None])
def test_functions_that_make_no_module_are_refused(network) -> None:
    with pytest.raises(ValueError, match=r"-> module, got <lambda>, which .*Pass one"):
        modules(network, 3, 2, seeds=SEEDS)
