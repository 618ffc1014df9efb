import math

import pytest
import torch

from antireg.losses import (
    CrossEntropy,
    OneHotSquaredError,
)


def outputs(*values: float) -> torch.Tensor:
    """One member, one row."""
    return torch.tensor([[values]])


def test_one_hot_squared_error_scales_the_label_by_the_classes() -> None:
    # K = 3, label 1: ((1 − 0)² + (2 − 3)² + (0 − 0)²) / 3
    loss = OneHotSquaredError()(outputs(1.0, 2.0, 0.0), torch.tensor([[0.0, 1.0, 0.0]]))
    assert loss.item() == pytest.approx(2 / 3)


def test_cross_entropy_matches_hand_values() -> None:
    # softmax(0, log 3) = (¼, ¾)
    two = CrossEntropy()(outputs(0.0, math.log(3)), torch.tensor([[0.0, 1.0]]))
    assert two.item() == pytest.approx(-math.log(0.75))
    # sigmoid(log 3) = ¾, label 0
    one = CrossEntropy()(outputs(math.log(3)), torch.tensor([[0.0]]))
    assert one.item() == pytest.approx(-math.log(0.25))


@pytest.mark.parametrize("label", [0.0, 1.0])
def test_a_small_cross_entropy_keeps_its_digits(label: float) -> None:
    # log(1 + e^−15), to a few roundings of float32
    loss = CrossEntropy()(outputs(30 * label - 15), torch.tensor([[label]]))
    assert loss.item() == pytest.approx(math.log1p(math.exp(-15)), rel=4 * 2.0**-24)


def test_pooled_classes_have_the_mean_probability() -> None:
    members = torch.tensor([[[0.0, 0.0]], [[0.0, math.log(3)]]])
    # mean of ½ and ¾
    probability = CrossEntropy().pool(members).softmax(-1)[0, 0, 1]
    assert probability.item() == pytest.approx(0.625)
    certain = CrossEntropy().pool(torch.tensor([[[0.0, -1e4]]]))
    assert CrossEntropy()(certain, torch.tensor([[0.0, 1.0]])).isfinite().all()
    single = CrossEntropy().pool(torch.tensor([[[0.0]], [[math.log(3)]]]))
    assert single.sigmoid().item() == pytest.approx(0.625)
