import math

import pytest
import torch

from antireg.losses import CrossEntropy, GaussianNLL, OneHotSquaredError, SquaredError
from antireg.rows.data import Data
from antireg.training.constant_guess import constant_loss, row_limit
from antireg.training.problem import Problem


def rows(y: list[list[float]], weight: list[float] | None = None) -> Data:
    targets = torch.tensor(y)
    weights = None if weight is None else torch.tensor(weight)
    return Data(torch.zeros(len(y), 1), targets, weights)


TARGETS = rows([[1.0], [3.0], [5.0]])  # mean 3, variance 8/3
LABELS = rows([[0.0], [0.0], [0.0], [1.0]])
ONE_HOT = rows([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
ENTROPY = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))


@pytest.mark.parametrize(
    ("loss", "data", "expected"),
    [
        (SquaredError(), TARGETS, 8 / 3),
        (GaussianNLL(), TARGETS, 0.5 * (1 + math.log(8 / 3))),
        (SquaredError(), LABELS, 0.75 * 0.25**2 + 0.25 * 0.75**2),
        # Outputs 1.5 and .5 for targets 2, 0 or 0, 2: both classes are off the same.
        (OneHotSquaredError(), ONE_HOT, 0.75 * 0.5**2 + 0.25 * 1.5**2),
        (CrossEntropy(), LABELS, ENTROPY),
        (CrossEntropy(), ONE_HOT, ENTROPY),
    ],
)
def test_the_cost_of_a_constant_has_its_hand_value(loss, data, expected) -> None:
    assert constant_loss(Problem(data, data, loss)) == pytest.approx(expected, rel=1e-6)


def test_the_constant_is_of_the_training_rows_and_judged_on_the_others() -> None:
    assert constant_loss(
        Problem(TARGETS, rows([[5.0]]), SquaredError())
    ) == pytest.approx(4)


def test_a_row_counts_as_often_as_its_weight_says() -> None:
    weighted = rows([[1.0], [3.0]], [0.5, 1.5])
    # Mean 2.5: .5 · 1.5² and 1.5 · .5², over two rows.
    assert constant_loss(Problem(weighted, weighted, SquaredError())) == pytest.approx(
        0.75
    )


def test_a_row_costs_no_more_than_the_limit() -> None:
    problem = Problem(TARGETS, rows([[5.0], [1003.0]]), SquaredError())
    assert constant_loss(problem) == pytest.approx((4 + 1e6) / 2)
    assert constant_loss(problem, limit=16.0) == pytest.approx((4 + 16) / 2)


@pytest.mark.parametrize(
    ("loss", "data", "expected"),
    [
        (SquaredError(), TARGETS, 4 * 2.0**2),
        (SquaredError(), rows([[0.0], [1.0]]), 1.0),  # one class said for the other
        (CrossEntropy(), LABELS, math.log(4) + 10),
        (GaussianNLL(), TARGETS, 0.5 * (4 / (8 / 3) + math.log(8 / 3)) + 10),
    ],
)
def test_the_limit_of_a_row_has_its_hand_value(loss, data, expected) -> None:
    assert row_limit(loss, data) == pytest.approx(expected, rel=1e-6)


def test_a_target_that_never_changes_has_a_finite_limit() -> None:
    assert math.isfinite(row_limit(GaussianNLL(), rows([[2.0], [2.0]])))
