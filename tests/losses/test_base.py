import pytest
import torch

from antireg.losses import (
    CLASSIFICATION_LOSSES,
    REGRESSION_LOSSES,
    CrossEntropy,
    GaussianNLL,
    OneHotSquaredError,
    SquaredError,
    choose_loss,
)


@pytest.mark.parametrize(
    ("loss", "n_outputs"),
    [
        (GaussianNLL(), 4),
        (SquaredError(), 2),
        (OneHotSquaredError(), 3),
        (CrossEntropy(), 1),
        (CrossEntropy(), 3),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_closed_form_gradient_is_that_of_the_loss(loss, n_outputs, weighted) -> None:
    rng = torch.Generator().manual_seed(0)
    said = 6 * torch.randn(3, 50, n_outputs, generator=rng)
    said[0, :, n_outputs - 1] -= 10  # some members are too sure
    y = torch.rand(3, 50, n_outputs, generator=rng)
    if isinstance(loss, GaussianNLL):
        y = y[..., :2]
    elif isinstance(loss, CrossEntropy) and n_outputs > 1:
        y = torch.eye(n_outputs)[torch.randint(n_outputs, (3, 50), generator=rng)]
    weight = torch.rand(3, 50, generator=rng) if weighted else None
    leaf = said.clone().requires_grad_()
    (by_autograd,) = torch.autograd.grad(loss(leaf, y, weight).sum(), leaf)
    torch.testing.assert_close(loss.with_gradient(said, y, weight)[1], by_autograd)


def test_rows_are_weighted() -> None:
    values = torch.tensor([[[0.0], [0.0]]])
    y = torch.tensor([[1.0], [2.0]])
    # (1.5·1 + 0.5·4) / 2
    assert SquaredError()(values, y, torch.tensor([1.5, 0.5])).item() == 1.75


@pytest.mark.parametrize("losses", [REGRESSION_LOSSES, CLASSIFICATION_LOSSES])
def test_losses_are_chosen_by_name(losses) -> None:
    assert all(isinstance(choose_loss(name, losses), losses[name]) for name in losses)
    with pytest.raises(ValueError, match=r"loss must be one of .* got 'hinge'"):
        choose_loss("hinge", losses)
