import pytest
import torch

from antireg.estimators.members import chosen_device, rows_per_step


@pytest.mark.parametrize(("n_rows", "batch_size"), [(20, 20), (300, 32), (5000, 128)])
def test_small_tables_take_small_batches(n_rows: int, batch_size: int) -> None:
    assert rows_per_step("auto", n_rows) == batch_size
    assert rows_per_step(7, n_rows) == 7


def test_devices_are_chosen_by_name() -> None:
    assert chosen_device("cpu") == torch.device("cpu")
    expected = "cuda" if torch.cuda.is_available() else "cpu"
    assert chosen_device("auto").type == expected
