import pytest
import torch

from antireg import EnsembleRegressor
from antireg.estimators.members import (
    bounds_of,
    chosen_device,
    plan_of,
    rows_per_step,
)
from antireg.losses import SquaredError
from antireg.rows.data import Data
from antireg.training.problem import Problem


@pytest.mark.parametrize(("n_rows", "batch_size"), [(20, 20), (300, 32), (5000, 128)])
def test_small_tables_take_small_batches(n_rows: int, batch_size: int) -> None:
    assert rows_per_step("auto", n_rows) == batch_size
    assert rows_per_step(7, n_rows) == 7


def test_devices_are_chosen_by_name() -> None:
    assert chosen_device("cpu") == torch.device("cpu")
    expected = "cuda" if torch.cuda.is_available() else "cpu"
    assert chosen_device("auto").type == expected


def test_one_wild_held_out_row_does_not_lift_what_a_constant_costs() -> None:
    """Both it and the members are judged by rows that cost 16 at most: 4 · 2²."""
    training = Data(torch.zeros(3, 1), torch.tensor([[1.0], [3.0], [5.0]]))
    held_out = Data(torch.zeros(2, 1), torch.tensor([[5.0], [1003.0]]))
    problem = Problem(training, held_out, SquaredError())
    model = EnsembleRegressor(hidden=(2,), n_members=1)
    plan = plan_of(model, problem, 0, None)
    assert plan.settings.row_limit == pytest.approx(16)
    assert bounds_of(model, plan).constant_loss == pytest.approx((4 + 16) / 2)
