import copy
import warnings

import numpy as np
import pytest
import torch
from torch import nn

from antireg import EnsembleRegressor
from antireg.networks.trained_before import is_trained, warn_of_trained


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 2))


def with_norm() -> nn.Module:
    return nn.Sequential(
        nn.Linear(3, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 2)
    )


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner, self.last = nn.LSTM(1, 8, batch_first=True), nn.Linear(8, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.inner(x[..., None])[0][:, -1])


class Wide(nn.Linear):
    """A layer that draws in a way of its own, wider than others do."""

    def reset_parameters(self) -> None:
        nn.init.normal_(self.weight)
        nn.init.normal_(self.bias)


def wide() -> nn.Module:
    return nn.Sequential(Wide(3, 32), nn.ReLU(), nn.Linear(32, 2))


def by_hand() -> nn.Module:
    """Return a new module with what people often set when they make one."""
    module = mlp()
    nn.init.xavier_normal_(module[0].weight, gain=3)
    nn.init.constant_(module[0].bias, -4.6)
    module[2].bias.data = torch.tensor([10.0, 3.0])
    return module


MAKES = [mlp, with_norm, Recurrent, wide, by_hand]


@pytest.mark.parametrize("make", MAKES)
def test_a_new_module_is_never_taken_for_trained(make) -> None:
    for seed in range(20):
        torch.manual_seed(seed)
        assert not is_trained(make())


def trained(make) -> nn.Module:
    torch.manual_seed(0)
    module = make()
    x = torch.randn(64, 3)
    optimizer = torch.optim.Adam(module.parameters(), 0.01)
    for _ in range(100):
        optimizer.zero_grad()
        (module(x) - x[:, :2].sin()).square().mean().backward()
        optimizer.step()
    return module


@pytest.mark.parametrize("make", [mlp, with_norm, Recurrent])
def test_a_trained_module_is_known_by_gradients_or_else_by_its_weights(make) -> None:
    module = trained(make)
    assert is_trained(module)
    stored = make()
    stored.load_state_dict(module.state_dict())
    assert all(w.grad is None for w in stored.parameters())
    assert is_trained(stored)


def test_frozen_layers_are_meant_to_be_trained() -> None:
    module = trained(mlp)
    frozen = copy.deepcopy(module).requires_grad_(False)
    assert not is_trained(nn.Sequential(frozen, nn.Linear(2, 2)))


def test_looking_changes_neither_module_nor_random_numbers() -> None:
    module = with_norm()
    with torch.no_grad():
        module[1].bias.add_(torch.randn(32))
    before, state = copy.deepcopy(module.state_dict()), torch.random.get_rng_state()
    assert is_trained(module)
    assert torch.equal(state, torch.random.get_rng_state())
    now = module.state_dict()
    assert all(torch.equal(now[name], values) for name, values in before.items())


def test_an_ensemble_says_that_it_draws_anew_and_what_to_use() -> None:
    X = np.random.default_rng(0).uniform(-1, 1, (60, 3))
    settings = dict(n_members=2, epochs=1, doubt=None, random_state=0)
    model = EnsembleRegressor("deep_ensemble", network=trained(mlp), **settings)
    with pytest.warns(UserWarning, match=r"from_networks") as said:
        model.fit(X, X[:, 0])
    (warning,) = [w for w in said if "from_networks" in str(w.message)]
    assert warning.filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*held-out scores are too few")
        EnsembleRegressor("deep_ensemble", network=mlp(), **settings).fit(X, X[:, 0])


def test_functions_and_none_are_not_asked() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_trained(None)
        warn_of_trained(lambda n_inputs, n_outputs: trained(mlp))
