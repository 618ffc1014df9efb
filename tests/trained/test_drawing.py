import numpy as np
import pytest
import torch
from torch import nn

from antireg import DARE, MaxWEnt, WaterFilling, from_networks, networks_around
from tests.small_tables import unfinished_is_fine

pytestmark = unfinished_is_fine

RNG = np.random.default_rng(0)
PICTURES = RNG.normal(size=(300, 1, 6, 6)).astype(np.float32)
CLASSES = (PICTURES.mean((1, 2, 3)) > 0).astype(int) + (PICTURES[:, 0, 0, 0] > 1)
METHODS = [WaterFilling(draws=3), MaxWEnt(draws=3), DARE(start="reference")]


def trained() -> nn.Module:
    """Return a small network with batch norm, trained a little."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = nn.Sequential(
            nn.Conv2d(1, 4, 3, bias=False),
            nn.BatchNorm2d(4),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(64, 3),
        )
        adam = torch.optim.Adam(network.parameters(), 0.01)
        x, y = torch.from_numpy(PICTURES[:200]), torch.from_numpy(CLASSES[:200])
        for _ in range(40):
            adam.zero_grad()
            nn.functional.cross_entropy(network(x), y).backward()
            adam.step()
    return network


def around(networks, method, **more):
    rows = (PICTURES[:200], CLASSES[:200])
    validation = (PICTURES[200:], CLASSES[200:])
    return networks_around(
        networks, *rows, validation, "cross_entropy", method=method, **more
    )


@pytest.mark.parametrize("method", METHODS, ids=lambda one: type(one).__name__)
def test_trained_networks_are_varied_and_stay_as_they_are(method) -> None:
    network = trained()
    before = {name: w.clone() for name, w in network.state_dict().items()}
    found = around([network], method)
    assert len(found) == (1 if isinstance(method, DARE) else 3)
    assert network.training
    for name, values in network.state_dict().items():
        assert torch.equal(values, before[name])
    for other in found:
        assert not torch.equal(other[0].weight, network[0].weight)
        for name in ("weight", "bias", "running_mean"):
            assert torch.equal(getattr(other[1], name), getattr(network[1], name))
    model = from_networks(found, "classification").fit(
        PICTURES[200:], CLASSES[200:], reference=PICTURES[:200]
    )
    assert (model.predict(PICTURES[:200]) == CLASSES[:200]).mean() > 0.8


def test_draws_cost_as_much_as_they_may() -> None:
    network = trained().eval()
    x, y = torch.from_numpy(PICTURES[200:]), torch.from_numpy(CLASSES[200:])
    with torch.no_grad():
        own = nn.functional.cross_entropy(network(x), y).item()
        drawn = [
            nn.functional.cross_entropy(one.eval()(x), y).item()
            for one in around(network, WaterFilling(draws=20))
        ]
    # The scale is within 0.3 % of the largest, and the loss is smooth in it.
    assert np.mean(drawn) == pytest.approx(1.25 * own, rel=0.02)


def test_the_same_seed_draws_the_same() -> None:
    network = trained()
    one, same, other = (
        around(network, WaterFilling(draws=1), random_state=seed)[0][0].weight
        for seed in (1, 1, 2)
    )
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


def test_columns_of_a_frame_may_be_read_only() -> None:
    x, y = PICTURES[:200].copy(), CLASSES[:200].copy()
    x.flags.writeable = y.flags.writeable = False
    around = networks_around(
        trained(), x, y, (x, y), "cross_entropy", method=WaterFilling(draws=1)
    )
    assert len(around) == 1


def test_methods_that_train_members_of_their_own_are_refused() -> None:
    with pytest.raises(ValueError, match="method must start from trained members"):
        around(trained(), DARE(threshold=1.0))


def test_probabilities_are_no_logits() -> None:
    said = nn.Sequential(trained(), nn.Softmax(dim=1))
    with pytest.raises(ValueError, match="Leave out their last softmax"):
        around(said, WaterFilling())


def test_frozen_networks_and_unknown_losses_are_refused() -> None:
    frozen = trained().requires_grad_(False)
    with pytest.raises(ValueError, match="networks must have weights that are not"):
        around(frozen, WaterFilling())
    with pytest.raises(ValueError, match="loss must be one of cross_entropy"):
        networks_around(frozen, PICTURES, CLASSES, (PICTURES, CLASSES), "hinge")
