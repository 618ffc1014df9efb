import pytest
import torch

from antireg.methods import AnchorNet
from antireg.methods.anchor_net import Anchors, shares
from antireg.methods.base import Fit, Method
from antireg.networks import mlp
from tests.methods.test_search import fit_with
from tests.steps import linear, step_of


def test_penalty_matches_hand_value() -> None:
    network = linear([[2.0, 4.0, 1.0]], n_inputs=2)
    step = step_of(network, torch.zeros(4, 2))
    anchors = Anchors(torch.tensor([[1.0, 1.0, 3.0]]), shares(network))
    # kernel: ((2−1)² + (4−1)²) / 2 = 5; bias: (1−3)² = 4; mean of both 4.5; times 2
    assert AnchorNet(strength=2.0).penalty(step, anchors).item() == pytest.approx(9.0)


def test_anchors_are_drawn_for_every_weight_with_the_scale() -> None:
    network = mlp([50, 100, 1], seeds=[0, 1])
    step = step_of(network, torch.zeros(4, 50))
    memory = AnchorNet(strength=1.0, scale=3.0).init(network, step.batch, [5, 6])
    anchors = memory.weights
    assert anchors.shape == network.flat.shape
    assert anchors.std().item() == pytest.approx(3.0, rel=0.05)
    assert not torch.equal(anchors[0], anchors[1])


def test_an_anchor_depends_on_its_members_seed_alone() -> None:
    network = mlp([2, 3, 1], seeds=[5, 6])
    step = step_of(network, torch.zeros(4, 2))
    both = AnchorNet(strength=1.0).init(network, step.batch, [5, 6])
    alone = AnchorNet(strength=1.0).init(mlp([2, 3, 1], seeds=[6]), step.batch, [6])
    assert torch.equal(both.weights[1:], alone.weights)


def test_search_covers_the_grid_and_stops_early_only_at_the_largest_scale() -> None:
    tried = []

    def train(method: Method, ahead=()) -> Fit:
        assert isinstance(method, AnchorNet)
        tried.append((method.scale, method.strength))
        best = (method.scale, method.strength) == (1.0, 10.0)
        return fit_with(method, 0.0 if best else 1.0)

    fit = AnchorNet().run(train)
    assert fit.method == AnchorNet(strength=10.0, scale=1.0)
    small = [(s, p) for s in (0.1, 1.0) for p in (0.1, 1.0, 10.0)]
    assert tried == [*small, (10.0, 0.1), (10.0, 1.0)]
