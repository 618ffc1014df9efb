from collections.abc import Callable

import pytest
import torch

from antireg.methods.closed_form import Block
from antireg.training import adam
from antireg.training.adam import Adam


@pytest.mark.parametrize("step", [adam.fused_adam, adam.plain_adam])
@pytest.mark.parametrize("size", [5, 1000])
def test_steps_are_those_of_pytorch(
    size: int, step: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adam, "adam", step)
    monkeypatch.setattr(adam, "BLOCK", 64)
    rng = torch.Generator().manual_seed(0)
    ours = torch.randn(3, size, generator=rng)
    theirs = ours.clone().requires_grad_()
    mine = Adam(ours, lr=0.01)
    reference = torch.optim.Adam([theirs], lr=0.01, eps=1e-7)
    for _ in range(5):
        gradient = torch.randn(3, size, generator=rng)
        mine.gradient.copy_(gradient)
        mine.step([0.0] * 3, None)
        theirs.grad = gradient
        reference.step()
    torch.testing.assert_close(ours, theirs.detach())


def test_the_penalty_counts_by_each_members_lambda() -> None:
    ours = Adam(torch.zeros(3, 2), lr=0.1)
    ours.gradient.zero_()

    def add(block: Block, control: float) -> None:
        block.gradient.add_(1.0, alpha=control)

    ours.step([0.0, 1.0, 0.5], add)
    # Adam's first average is a tenth of the gradient.
    by_hand = torch.tensor([[0.0, 0.0], [0.1, 0.1], [0.05, 0.05]])
    torch.testing.assert_close(ours.average, by_hand)


def test_small_members_step_together_as_they_would_alone() -> None:
    rng = torch.Generator().manual_seed(0)
    start, gradient = torch.randn(2, 3, 37, generator=rng)
    together = start.clone()
    adam_of_all = Adam(together, lr=0.01)
    adam_of_all.gradient.copy_(gradient)
    adam_of_all.step([0.0] * 3, None)
    assert len(adam_of_all.groups) == 1
    for member in range(3):
        alone = start[[member]].clone()
        adam_of_one = Adam(alone, lr=0.01)
        adam_of_one.gradient.copy_(gradient[[member]])
        adam_of_one.step([0.0], None)
        assert torch.equal(alone[0], together[member])


def test_the_private_operation_is_used_where_it_is_as_we_know_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert adam.adam is adam.fused_adam
    monkeypatch.setattr(torch, "_fused_adam_", lambda weights: None)  # another form
    assert not adam._works(adam.fused_adam)
    monkeypatch.delattr(torch, "_fused_adam_")
    assert not adam._works(adam.fused_adam)
    assert adam._works(adam.plain_adam)
