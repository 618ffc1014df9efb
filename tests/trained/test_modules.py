import copy
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import nn

from antireg.trained.modules import Modules, as_members
from tests.trained_networks import picture_network, pictures, regression_network


def test_outputs_are_those_of_the_module_in_evaluation_mode() -> None:
    network = picture_network(0)
    x = torch.tensor(pictures(20, 1)[0]).float()
    outputs, hidden = Modules.of(network, x)(x)
    network.eval()
    with torch.no_grad():
        assert torch.equal(outputs[0].float(), network(x))
        assert torch.equal(hidden, network[:-1](x))


def test_nothing_of_a_module_is_changed() -> None:
    network = regression_network(0)
    network[0].eval()  # one layer is in another mode than the others
    modes = [layer.training for layer in network.modules()]
    before = copy.deepcopy(network.state_dict())
    x = torch.rand(20, 2)
    Modules.of([network], x)(x)
    assert [layer.training for layer in network.modules()] == modes
    now = network.state_dict()
    assert all(torch.equal(now[name], values) for name, values in before.items())
    assert all(not layer._forward_pre_hooks for layer in network.modules())
    assert all(w.grad is None for w in network.parameters())


def test_modes_are_restored_after_an_error_too() -> None:
    network = regression_network(0)
    with pytest.raises(
        ValueError, match=r"^networks must take X as it is given, \(5, 3"
    ):
        Modules.of(network, torch.rand(5, 3))
    assert network.training
    assert network[1].training


def test_members_may_have_other_shapes_and_precisions() -> None:
    small = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)).double()
    modules = Modules.of([regression_network(0), small], torch.rand(6, 2))
    outputs, hidden = modules(torch.rand(4, 2))
    assert outputs.shape == (2, 4, 1)
    assert hidden.shape == (4, 40 + 3)


def test_networks_without_hidden_layers_have_no_hidden_units() -> None:
    x = torch.rand(6, 1, 2)
    line = nn.Sequential(nn.Flatten(), nn.Linear(2, 1))
    assert not Modules.of(line, x).has_hidden
    assert Modules.of(line, x)(x)[1] is None


class Told(nn.Module):
    """Says what it is told to."""

    def __init__(self, say) -> None:
        super().__init__()
        self.say = say

    def forward(self, x: torch.Tensor):
        return self.say(x)


def test_flat_outputs_and_several_are_columns() -> None:
    x = torch.rand(6, 2)
    flat = Modules.of(Told(lambda x: x[:, 0]), x)
    assert torch.equal(flat(x)[0][0, :, 0], x[:, 0].double())
    both = Modules.of(Told(lambda x: (x[:, 0], x[:, 1:])), x)
    assert torch.equal(both(x)[0][0], x.double())


@pytest.mark.parametrize(
    ("say", "error"),
    [
        (lambda x: x[None], r"must return \(rows, outputs\), or several such"),
        (lambda x: {"mean": x}, r"must return \(rows, outputs\), or several such"),
        (lambda x: x[:1], r"must return one row for each of X, 5"),
        (lambda x: x - x.mean(0), r"what depends on that row alone"),
        (lambda x: x + torch.rand_like(x), r"what depends on that row alone"),
    ],
)
def test_modules_that_cannot_be_used_are_refused(say, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        Modules.of(Told(say), torch.rand(6, 2))


def test_batch_norm_without_running_statistics_is_refused() -> None:
    norm = nn.BatchNorm1d(2, track_running_stats=False)
    with pytest.raises(ValueError, match=r"batch norm needs running statistics"):
        Modules.of(norm, torch.rand(6, 2))
    of_pictures = nn.Sequential(
        nn.BatchNorm2d(1, track_running_stats=False), nn.Flatten()
    )
    with pytest.raises(ValueError, match=r"batch norm without running statistics"):
        Modules.of(of_pictures, torch.rand(6, 1, 3, 3))


def test_other_numbers_of_outputs_are_refused() -> None:
    with pytest.raises(ValueError, match=r"same number of outputs, got \[1, 2\]"):
        Modules.of([nn.Linear(2, 1), nn.Linear(2, 2)], torch.rand(6, 2))


@pytest.mark.parametrize("given", [[], None, "net", [nn.Linear(1, 1), 3], nn.Linear])
def test_what_is_no_module_is_refused(given) -> None:
    with pytest.raises(ValueError, match=r"^networks must be"):
        as_members(given)


def test_threads_get_what_one_would() -> None:
    network = picture_network(0)
    x = torch.tensor(pictures(200, 1)[0]).float()
    modules = Modules.of(network, x)
    with torch.no_grad():
        alone = [modules(part) for part in x.split(20)]
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(torch.no_grad()(modules), x.split(20)))
    assert network.training
    for one, other in zip(alone, together, strict=True):
        assert torch.equal(one[0], other[0])
        assert torch.equal(one[1], other[1])
