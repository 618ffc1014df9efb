import math

import pytest
import torch

from antireg.networks import mlp
from antireg.networks.layers import Layer
from antireg.networks.noisy import CHECKS, NOISES, Directions, NoisyStack
from tests.steps import linear

KERNEL = Layer("kernel0", "bias0", inputs_first=True)
TURN = torch.tensor([[[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]]])
SEEDS = (3, 4)


def noisy(sizes=(1.0, 2.0, 0.5), basis=None, noise="normal") -> NoisyStack:
    base = linear([[1.0, 2.0, 5.0], [0.0, 0.0, 0.0]], 2)
    flat = torch.tensor(sizes).log().repeat(2, 1)
    return NoisyStack(flat, base, [Directions(KERNEL, basis, 3, 1)], SEEDS, noise)


@pytest.mark.parametrize("noise", NOISES)
def test_noise_has_mean_0_and_variance_1(noise: str) -> None:
    rng = torch.Generator().manual_seed(0)
    drawn = NOISES[noise]((20_000,), rng)
    # Five standard errors, of a mean 1/√n and of a variance at most √(2/n).
    assert abs(drawn.mean()) < 5 / math.sqrt(20_000)
    assert drawn.var().item() == pytest.approx(1, abs=5 * math.sqrt(2 / 20_000))


@pytest.mark.parametrize("noise", NOISES)
def test_draws_vary_by_the_sizes_along_the_directions(noise: str) -> None:
    stack = noisy(basis=TURN, noise=noise)
    moved = stack.draws(0, 4000) - stack.base.flat.detach().repeat_interleave(4000, 0)
    # Back in the basis, the variances are 1, 4 and ¼; five standard errors.
    variances = (moved @ TURN[0]).square().mean(0)
    torch.testing.assert_close(
        variances,
        torch.tensor([1.0, 4.0, 0.25]),
        rtol=5 * math.sqrt(2 / 8000),
        atol=0,
    )


def test_a_member_draws_by_its_seed_and_the_epoch_alone() -> None:
    stack, x = noisy(), torch.ones(1, 2)
    stack.begin_epoch(3)
    first = stack(x), stack(x)
    assert not torch.equal(*first)
    stack.begin_epoch(4)
    assert not torch.equal(stack(x), first[0])
    stack.begin_epoch(3)
    assert torch.equal(stack(x), first[0])
    alone = stack.part(range(1, 2))
    alone.begin_epoch(3)
    assert torch.equal(alone(x), first[0][1:])
    assert torch.equal(alone.base.flat, stack.base.flat[1:])


def test_the_gradient_of_the_sizes_is_that_of_the_outputs() -> None:
    """Outputs are  x·(w + φz),  φ = e^s:  their derivative by s is  x φ z."""
    stack, x = noisy(basis=TURN), torch.tensor([[2.0, 3.0]])
    (gradient,) = torch.autograd.grad(stack(x).sum(), stack.flat)
    stack.begin_epoch(0)
    moved = stack.drawn(stack.flat.detach(), stack.rngs) - stack.base.flat.detach()
    along = moved @ TURN[0]  # φ z
    turned = torch.tensor([2.0, 3.0, 1.0]) @ TURN[0]
    torch.testing.assert_close(gradient, turned * along, rtol=1e-5, atol=1e-6)


def test_tape_and_stack_agree() -> None:
    stack, x = noisy(), torch.ones(4, 2)
    outputs = stack(x)
    (expected,) = torch.autograd.grad(outputs.sum(), stack.flat)
    stack.begin_epoch(0)
    tape, gradient = stack.tape(), torch.empty_like(expected)
    assert torch.equal(tape.forward(x), outputs)
    tape.backward(torch.ones_like(outputs), gradient)
    assert torch.equal(gradient, expected)


def test_rows_take_turns_with_the_same_draws() -> None:
    stack, n_rows = noisy(), 3 * CHECKS + 1
    outputs = stack.predictor()(torch.ones(n_rows, 2))
    assert outputs.shape == (2, n_rows, 1)
    assert torch.equal(outputs, stack.predictor()(torch.ones(n_rows, 2)))
    for member in outputs[..., 0]:
        assert len(set(member.tolist())) == CHECKS
        assert torch.equal(member[:CHECKS], member[CHECKS : 2 * CHECKS])
    assert stack.predictor()(torch.ones(3, 2)).shape == (2, 3, 1)


def test_other_weights_or_another_noise_are_another_network() -> None:
    stack = noisy()
    assert stack.frozen()[0] is stack.base.flat
    assert stack.architecture() != noisy(noise="uniform").architecture()
    assert stack.with_weights(stack.flat + 1).base is stack.base


def test_any_weights_can_be_applied_and_differentiated() -> None:
    """`apply` is pure: what the stack holds does not matter."""
    one, other = mlp([2, 4, 1], seeds=[1]), mlp([2, 4, 1], seeds=[2, 3])
    x = torch.rand(5, 2)
    assert torch.equal(one.apply(other.flat, x), other(x))
    doubled = (2 * other.flat.detach()).requires_grad_()
    (gradient,) = torch.autograd.grad(one.apply(doubled * 0.5, x).sum(), doubled)
    (expected,) = torch.autograd.grad(other(x).sum(), other.flat)
    torch.testing.assert_close(gradient, 0.5 * expected)
