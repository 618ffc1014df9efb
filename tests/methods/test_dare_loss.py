import copy
import math

import pytest
import torch
from sklearn.exceptions import ConvergenceWarning
from torch import nn

import antireg
from antireg.methods import DARE
from antireg.methods.dare_loss import DareController, control, dare_loss, weight_penalty
from tests.steps import linear, step_of


def test_loss_matches_hand_value_on_both_sides_of_the_threshold() -> None:
    weights = [
        torch.tensor([2.0], requires_grad=True),
        torch.ones(1, 1).requires_grad_(),
    ]
    loss = torch.tensor(0.5)
    # 0.5 − (log 2² + log 1²) / 2 = 0.5 − log 2; ε changes it by less than 1e-7
    under = dare_loss(loss, weights, 0.5)
    assert under.item() == pytest.approx(0.5 - math.log(2), abs=1e-6)
    assert dare_loss(loss, weights, 0.499).item() == 0.5


def test_gradient_is_that_of_the_loss_plus_that_of_the_penalty() -> None:
    weight = torch.tensor([2.0, -0.5], requires_grad=True)
    dare_loss(weight.sum(), [weight], 10.0).backward()
    # 1 − 2θ/(θ² + ε)/d with d = 2: 1 − 0.5 and 1 + 2
    assert weight.grad.tolist() == pytest.approx([0.5, 3.0], rel=1e-5)


def test_it_is_what_the_library_adds_to_its_own_loss() -> None:
    values = [0.3, -1.5, 0.01]
    own = DARE(threshold=0.1).penalty(step_of(linear([values])), None)
    weight = torch.tensor(values, requires_grad=True)
    zero = torch.zeros(())
    assert dare_loss(zero, [weight], 0.1).item() == own.item()
    assert weight_penalty(weight).item() == own.item()
    assert torch.equal(DARE(threshold=0.1).control(zero), control(zero, 0.1))


def test_frozen_weights_do_not_count_and_some_must_be_left() -> None:
    free = torch.tensor([2.0], requires_grad=True)
    frozen = torch.tensor([100.0])
    both = dare_loss(torch.zeros(()), [free, frozen], 0.1)
    assert both.item() == dare_loss(torch.zeros(()), [free], 0.1).item()
    with pytest.raises(ValueError, match=r"^parameters must hold tensors to train"):
        dare_loss(torch.zeros(()), [frozen], 0.1)


@pytest.mark.parametrize(("loss", "threshold"), [(2.0, 2.5), (-2.0, -1.5), (0.0, 0.0)])
def test_the_controller_finds_the_threshold(loss: float, threshold: float) -> None:
    assert DareController(nn.Linear(1, 1), loss, delta=0.25).threshold == threshold


def test_the_last_epoch_under_the_threshold_is_kept_with_all_its_state() -> None:
    network = nn.Sequential(nn.Linear(1, 4), nn.BatchNorm1d(4))
    dare, states = DareController(network, 1.0, delta=0.0), []
    for loss in [3.0, 0.5, 0.9, 1.1, 1.0, 2.0, math.nan]:
        with torch.no_grad():
            network[0].weight.add_(1.0)
        network(torch.randn(8, 1))
        states.append(copy.deepcopy(network.state_dict()))
        assert dare.end_epoch(loss) == (loss in (3.0, 0.5, 0.9, 1.0))
    assert dare.kept_epoch == 4
    assert dare.restore() is network
    now = network.state_dict()
    assert all(torch.equal(now[name], kept) for name, kept in states[4].items())


def test_lambda_is_reported_by_epoch() -> None:
    dare = DareController(nn.Linear(1, 1), 1.0, delta=0.0)
    for loss in [0.5, 2.0, 0.7, 1.0]:
        dare.loss(torch.tensor(loss))
    dare.end_epoch(1.0)
    dare.loss(torch.tensor(3.0))
    dare.end_epoch(1.0)
    assert dare.history == [0.75, 0.0]


def test_a_loop_with_it_lets_weights_grow_that_the_data_do_not_constrain() -> None:
    torch.manual_seed(0)
    x = torch.cat([torch.randn(200, 1), torch.zeros(200, 1)], 1)  # the second is unused
    network = nn.Linear(2, 1)
    before = network.weight.detach().clone()
    dare = DareController(network, 0.01, delta=0.25)
    optimizer = torch.optim.Adam(network.parameters(), 0.05)
    for _ in range(200):
        optimizer.zero_grad()
        fit = (network(x) - x[:, :1]).square().mean()
        dare.loss(fit).backward()
        optimizer.step()
        with torch.no_grad():
            dare.end_epoch((network(x) - x[:, :1]).square().mean().item())
    dare.restore()
    assert network.weight[0, 1].abs() > before[0, 1].abs() + 0.3
    with torch.no_grad():
        assert (network(x) - x[:, :1]).square().mean() <= dare.threshold


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(ValueError, match=r"^reference_loss must be a finite number"):
        DareController(nn.Linear(1, 1), math.inf)
    with pytest.raises(ValueError, match=r"^delta must be a number, 0 or more"):
        DareController(nn.Linear(1, 1), 1.0, delta=-1.0)
    dare = DareController(nn.Linear(1, 1), 1.0)
    with pytest.raises(ValueError, match=r"^end_epoch must be called"):
        dare.restore()
    dare.end_epoch(5.0)
    with pytest.warns(ConvergenceWarning, match=r"no epoch had a validation loss of"):
        dare.restore()


def test_the_names_are_public() -> None:
    assert antireg.dare_loss is dare_loss
    assert antireg.DareController is DareController
