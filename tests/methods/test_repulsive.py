import math

import pytest
import torch

from antireg.methods import Repulsive
from antireg.networks import mlp
from tests.steps import gradient_of, linear, step_of


def test_penalty_is_one_for_every_member() -> None:
    step = step_of(linear([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]]))
    assert Repulsive().penalty(step, None).tolist() == pytest.approx([1, 1, 1])


def test_gradient_matches_hand_value() -> None:
    # Squared distances of 0, 1 and 3: 0 1 9 / 1 0 4 / 9 4 0, sorted 0 0 0 1 1 4 4 9 9,
    # median 1; h = 1 / log 4.
    h = 1 / math.log(4)
    gradient = gradient_of(Repulsive(), linear([[0.0, 0], [1.0, 0], [3.0, 0]]))
    k = {d: math.exp(-d / h) for d in (0, 1, 4, 9)}
    total = k[0] + k[1] + k[9]
    # −2/h Σ_j k_0j (θ_0 − θ_j) / Σ_j k_0j
    by_hand = 2 / h * (k[1] * 1 + k[9] * 3) / total
    assert gradient[0, 0].item() == pytest.approx(by_hand, rel=1e-5)


def test_gradient_agrees_with_the_official_update() -> None:
    network = mlp([2, 8, 1], seeds=range(5))
    theta = network.flat.detach().clone().requires_grad_()
    fixed = theta.detach()
    # The official repulsion: Σ_j ∇_{θ_m} k(θ_m, θ_j) / Σ_j k(θ_m, θ_j), the particles
    # θ_j and the median detached.
    distance = torch.stack([((t - fixed) ** 2).sum(1) for t in theta])
    bandwidth = distance.detach().flatten().median() / math.log(5 + 1)
    kernel = torch.exp(-distance / bandwidth)
    (gradient,) = torch.autograd.grad(kernel.sum(), theta)
    official = gradient / kernel.detach().sum(1, keepdim=True)
    torch.testing.assert_close(
        gradient_of(Repulsive(), network), official, rtol=1e-4, atol=1e-6
    )


def test_a_step_along_the_gradient_moves_members_apart() -> None:
    network = mlp([2, 8, 1], seeds=range(4))
    before = torch.cdist(network.flat.detach(), network.flat.detach()).sum()
    moved = network.flat.detach() - 0.01 * gradient_of(Repulsive(), network)
    assert torch.cdist(moved, moved).sum() > before


def test_one_member_has_nobody_to_flee() -> None:
    network = linear([[1.0, 2.0]])
    assert torch.equal(gradient_of(Repulsive(), network), torch.zeros(1, 2))


def test_two_members_flee_each_other() -> None:
    gradient = gradient_of(Repulsive(), linear([[0.0, 0.0], [2.0, 0.0]]))
    # h = 4 / log 3; k = e^{−log 3} = 1/3; shares ¾ and ¼: 2/h · ¼ · 2
    assert gradient[0, 0].item() == pytest.approx(math.log(3) / 4)
    assert gradient[1, 0].item() == pytest.approx(-math.log(3) / 4)
