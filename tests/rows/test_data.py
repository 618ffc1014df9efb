from typing import get_overloads, get_type_hints

import torch
from torch import Tensor

from antireg.networks.forward import forward
from antireg.networks.inference import scaled_inputs
from antireg.rows.data import (
    ALIGNMENT,
    Batch,
    Batches,
    Data,
    targets_of,
    weights_of,
)
from antireg.rows.stored import Stored


def rows() -> Data:
    x = torch.arange(6.0).reshape(3, 2)
    return Data(x, x[:, :1], torch.tensor([1.0, 2.0, 3.0]))


def test_members_take_their_own_rows() -> None:
    batch = Batches(rows()).take(torch.tensor([[0, 2], [1, 1]]))
    assert batch.x.shape == (2, 2, 2)
    assert batch.y.tolist() == [[[0.0], [4.0]], [[2.0], [2.0]]]
    assert batch.weight is not None
    assert batch.weight.tolist() == [[1, 3], [2, 2]]


def test_shared_rows_have_no_axis_of_members() -> None:
    batch = Batches(rows()).take(torch.tensor([2, 0]))
    assert batch.x.tolist() == [[4, 5], [0, 1]]
    assert len(batch) == 2


def test_rows_without_weights_stay_without() -> None:
    data = Data(torch.zeros(3, 2), torch.zeros(3, 1))
    assert Batches(data).take(torch.tensor([0])).weight is None
    assert data.to(torch.device("cpu")).weight is None


def test_a_batch_is_written_over_the_one_before() -> None:
    batches = Batches(rows())
    first = batches.take(torch.tensor([0, 1]))
    shorter = batches.take(torch.tensor([2]))
    second = batches.take(torch.tensor([1, 2]))
    assert first.x.data_ptr() == second.x.data_ptr()
    assert second.x.tolist() == [[2, 3], [4, 5]]
    assert shorter.x.tolist() == [[4, 5]]


def test_aligned_rows_start_where_tensors_do_and_are_else_left_alone() -> None:
    # As in a message of another process, whose rows start anywhere.
    x = torch.arange(101.0)[1:].reshape(50, 2)
    data = Data(x, x[:, :1])
    assert x.data_ptr() % ALIGNMENT
    aligned = data.aligned()
    assert aligned.x.data_ptr() % ALIGNMENT == 0
    assert torch.equal(aligned.x, x)
    assert aligned.aligned().x is aligned.x


def test_types_say_that_rows_may_be_on_disk_but_never_those_of_a_step() -> None:
    assert get_type_hints(Data)["x"] == Tensor | Stored
    assert get_type_hints(Batches.take)["return"] is Batch
    assert get_type_hints(Batch)["x"] is Tensor
    assert get_type_hints(forward)["x"] == Tensor | Stored
    assert get_overloads(scaled_inputs)[-1].__annotations__["return"] == "Inputs"


def test_rows_without_weights_count_one() -> None:
    data = Data(torch.zeros(2, 1), torch.tensor([[1.0], [2.0]]), None)
    assert weights_of(data).tolist() == [1.0, 1.0]
    assert targets_of(data).tolist() == [[1.0], [2.0]]
