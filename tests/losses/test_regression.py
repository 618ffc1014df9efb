import math
from functools import partial

import pytest
import torch

from antireg.losses import (
    GaussianNLL,
    SquaredError,
)
from antireg.losses.base import averaged


def outputs(*values: float) -> torch.Tensor:
    """One member, one row."""
    return torch.tensor([[values]])


def test_gaussian_nll_matches_hand_value() -> None:
    # μ = 1, s = log 4, y = 3: ½(4/4 + log 4) = ½ + log 2
    loss = GaussianNLL()(outputs(1.0, math.log(4)), torch.tensor([[3.0]]))
    assert loss.item() == pytest.approx(0.5 + math.log(2))


def test_gaussian_nll_clips_the_log_variance_below() -> None:
    # s = −50 counts as −10: ½(e^{10}·0 − 10) = −5
    loss = GaussianNLL()(outputs(2.0, -50.0), torch.tensor([[2.0]]))
    assert loss.item() == pytest.approx(-5.0)


def test_a_member_that_is_too_sure_is_pushed_back() -> None:
    too_sure = outputs(0.0, -50.0).requires_grad_()
    GaussianNLL()(too_sure, torch.tensor([[1.0]])).sum().backward()
    assert too_sure.grad is not None
    assert too_sure.grad[0, 0, 1] < 0


def test_a_member_that_is_rightly_sure_is_not_pushed_further() -> None:
    sure = outputs(1.0, -50.0).requires_grad_()
    GaussianNLL()(sure, torch.tensor([[1.0]])).sum().backward()
    assert sure.grad is not None
    assert sure.grad[0, 0, 1] == 0


def test_a_stuck_member_recovers() -> None:
    log_variance = torch.tensor([[[-14.0]]], requires_grad=True)
    adam = torch.optim.Adam([log_variance], lr=0.1)
    for _ in range(400):
        adam.zero_grad()
        off_by_one = torch.cat([torch.zeros(1, 1, 1), log_variance], dim=-1)
        GaussianNLL()(off_by_one, torch.tensor([[1.0]])).sum().backward()
        adam.step()
    # Far on its way from −14 to the 0 that a residual of 1 asks for; Adam remembers
    # the first large gradients, so the rest takes long.
    assert log_variance.item() > -7


def test_squared_error_matches_hand_value() -> None:
    # ((1 − 3)² + (2 − 2)²) / 2
    assert SquaredError()(outputs(1.0, 2.0), torch.tensor([[3.0, 2.0]])).item() == 2


@pytest.mark.parametrize("n_targets", [1, 2])
@pytest.mark.parametrize("away", [0.0, -60.0, 2e4, math.nan])
def test_loss_and_gradient_at_once_have_the_bits_of_each_alone(n_targets, away) -> None:
    rng = torch.Generator().manual_seed(0)
    said = 3 * torch.randn(3, 50, 2 * n_targets, generator=rng)
    said[1, 7, -1] += away  # a log-variance outside its limits takes the other way
    y = torch.randn(3, 50, n_targets, generator=rng)
    weight = torch.rand(3, 50, generator=rng)
    loss = GaussianNLL()
    fit, gradient = loss.with_gradient(said, y, weight)
    assert_same = partial(torch.testing.assert_close, rtol=0, atol=0, equal_nan=True)
    assert_same(fit, loss(said, y, weight))
    assert_same(gradient, averaged(loss.rows_gradient(said, y), weight))


def test_pooled_gaussian_has_the_mixtures_moments() -> None:
    members = torch.tensor([[[1.0, 0.0]], [[3.0, math.log(3)]]])
    # mean 2; variance mean(1, 3) + var(1, 3) = 2 + 1
    mean, log_variance = GaussianNLL().pool(members)[0, 0].tolist()
    assert mean == pytest.approx(2)
    assert math.exp(log_variance) == pytest.approx(3)
