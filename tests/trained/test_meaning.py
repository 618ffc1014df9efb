import math

import numpy as np
import pytest
import torch

from antireg.rows.scaling import Scaling
from antireg.trained.meaning import (
    class_values,
    classes_of,
    meaning_of_amounts,
    meaning_of_classes,
    scaled_amounts,
)

SCALING = Scaling(np.array([10.0]), np.array([2.0]))


def test_one_number_for_each_target_is_a_mean() -> None:
    assert meaning_of_amounts("auto", 3, 3) == "mean"
    assert meaning_of_amounts("mean", 1, 1) == "mean"
    assert meaning_of_amounts("mean_variance", 2, 1) == "mean_variance"


def test_two_numbers_must_be_stated() -> None:
    with pytest.raises(
        ValueError, match=r"^outputs must be stated where networks say 2"
    ):
        meaning_of_amounts("auto", 2, 1)


@pytest.mark.parametrize(
    ("asked", "n_outputs", "error"),
    [
        ("mean", 2, r'outputs="mean" must be 1 numbers for 1 targets, got .* with 2'),
        ("auto", 3, r'outputs="mean" must be 1 numbers for 1 targets, got .* with 3'),
        ("mean_log_variance", 1, r"must be 2 numbers for 1 targets, got .* with 1"),
        ("logits", 1, r'^outputs must be one of "auto", "mean", '),
    ],
)
def test_other_numbers_are_refused(asked: str, n_outputs: int, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        meaning_of_amounts(asked, n_outputs, 1)


def test_amounts_are_scaled_with_their_noise() -> None:
    raw = torch.tensor([[[14.0, math.log(8.0)]]], dtype=torch.float64)
    # (14 − 10) / 2 = 2, and a variance of 8 is 8 / 2² = 2 of scaled targets
    expected = pytest.approx([2.0, math.log(2.0)])
    assert scaled_amounts(raw, "mean_log_variance", SCALING)[0, 0].tolist() == expected
    raw[..., 1] = 8.0
    assert scaled_amounts(raw, "mean_variance", SCALING)[0, 0].tolist() == expected
    assert scaled_amounts(raw[..., :1], "mean", SCALING).item() == 2.0


def test_probabilities_are_recognised() -> None:
    logits = torch.randn(2, 50, 3, generator=torch.Generator().manual_seed(0))
    assert meaning_of_classes("auto", logits) == "logits"
    assert meaning_of_classes("auto", logits.log_softmax(-1)) == "logits"
    assert meaning_of_classes("auto", logits.softmax(-1)) == "probabilities"
    assert meaning_of_classes("auto", logits.softmax(-1).half().float()) == (
        "probabilities"
    )
    assert meaning_of_classes("auto", logits[..., :1].sigmoid()) == "probabilities"
    assert meaning_of_classes("logits", logits.softmax(-1)) == "logits"
    with pytest.raises(
        ValueError, match=r'^outputs="probabilities" must be from 0 to 1'
    ):
        meaning_of_classes("probabilities", logits)
    with pytest.raises(ValueError, match=r'^outputs must be one of "auto", "logits"'):
        meaning_of_classes("mean", logits)


def test_class_values_are_k_times_probabilities() -> None:
    third = torch.log(torch.tensor([[[1.0, 2.0, 1.0]]]))
    expected = pytest.approx([0.75, 1.5, 0.75])
    assert class_values(third, "logits")[0, 0].tolist() == expected
    assert class_values(third.softmax(-1), "probabilities")[0, 0].tolist() == expected
    logs = third.log_softmax(-1)
    assert class_values(logs, "logits")[0, 0].tolist() == expected
    one = torch.tensor([[[math.log(3.0)]]])  # odds of 3 to 1 for the second class
    assert class_values(one, "logits")[0, 0].tolist() == pytest.approx([0.5, 1.5])
    share = torch.tensor([[[0.75]]])
    assert class_values(share, "probabilities")[0, 0].tolist() == [0.5, 1.5]


def test_labels_are_places_or_sorted_or_given() -> None:
    places = classes_of(None, np.array([0, 3]), 4)
    assert places.tolist() == [0, 1, 2, 3]
    assert classes_of(None, np.array([5, 7, 6]), 3).tolist() == [5, 6, 7]
    words = np.array(["b", "a"])
    assert classes_of(None, words, 1).tolist() == ["a", "b"]
    assert classes_of(["b", "a", "c"], words, 3).tolist() == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("given", "y", "error"),
    [
        (None, ["a", "b"], r"^classes must be given where y has 2 labels"),
        (["a", "b"], ["a", "b"], r"^classes must be the 3 labels"),
        (["a", "b", "b"], ["a", "b"], r"^classes must be the 3 labels"),
        (["a", "b", "c"], ["a", "d"], r"^y must hold only the networks' classes, got"),
    ],
)
def test_labels_that_do_not_fit_are_refused(given, y, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        classes_of(given, np.array(y), 3)
