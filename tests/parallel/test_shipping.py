import pickle
from pathlib import Path

import joblib
import numpy as np
import pytest
import torch

from antireg.losses import SquaredError
from antireg.parallel import shipping
from antireg.parallel.shipping import Parcel, sent, unpacked
from antireg.rows.data import Data
from antireg.training.problem import Problem

LARGE_ROWS = shipping.LARGE // 8
"""Rows of two numbers that are shared; of one, that are sent."""


def large_parcel() -> Parcel:
    x = torch.arange(2.0 * LARGE_ROWS).reshape(-1, 2)
    few = Data(x[:3], x[:3, :1])
    return Parcel(Problem(Data(x, x[:, :1]), few, SquaredError()))


def what_arrives(parcel: Parcel) -> tuple[str, float]:
    x = unpacked(parcel).data.x
    return str(parcel.parts[0].filename), x.sum(dtype=float).item()


def test_rows_arrive_as_they_were_sent() -> None:
    data = Data(torch.randn(5, 3), torch.randn(5, 1), torch.rand(5))
    validation = Data(torch.randn(2, 3), torch.randn(2, 1))
    with sent(Parcel(Problem(data, validation, SquaredError()))) as parcel:
        arrived = unpacked(pickle.loads(pickle.dumps(parcel)))
    for one, other in ((data, arrived.data), (validation, arrived.validation)):
        assert torch.equal(one.x, other.x)
        assert torch.equal(one.y, other.y)
    assert torch.equal(data.weight, arrived.data.weight)
    assert arrived.validation.weight is None
    assert isinstance(arrived.loss, SquaredError)


def test_dask_takes_no_parcel_for_another_with_the_same_rows() -> None:
    """A fit and its rehearsals may send the same; the first is deleted meanwhile."""
    dask = pytest.importorskip("dask.base")
    data = Data(torch.ones(5, 3), torch.ones(5, 1))
    one, other = (Parcel(Problem(data, data, SquaredError())) for _ in range(2))
    name = dask.tokenize(one)
    assert name == dask.tokenize(pickle.loads(pickle.dumps(one)))
    assert name != dask.tokenize(other)


def test_read_only_arrays_are_taken_without_a_word_and_without_a_filter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a filter of warnings is one for all threads")

    monkeypatch.setattr("warnings.catch_warnings", refuse)
    data = Data(torch.randn(5, 3), torch.randn(5, 1))
    parcel = Parcel(Problem(data, data, SquaredError()))
    for part in parcel.parts:
        if isinstance(part, np.ndarray):
            part.flags.writeable = False
    assert torch.equal(unpacked(parcel).data.x, data.x)


def test_processes_share_large_arrays_in_a_file_that_goes_with_the_pool() -> None:
    with sent(large_parcel()) as parcel:
        files = [Path(p.filename) for p in parcel.parts if isinstance(p, np.memmap)]
        (arrived,) = joblib.Parallel(2)([joblib.delayed(what_arrives)(parcel)])
    n_numbers = 2 * LARGE_ROWS
    assert len(files) == 1
    assert arrived == (str(files[0]), n_numbers * (n_numbers - 1) / 2)
    assert not files[0].parent.exists()


def test_files_go_where_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JOBLIB_TEMP_FOLDER", raising=False)
    monkeypatch.setattr(shipping, "IN_MEMORY", tmp_path)
    assert shipping._folder_with_room(1) == tmp_path
    assert shipping._folder_with_room(2**60) is None
    monkeypatch.setattr(shipping, "IN_MEMORY", tmp_path / "none")
    assert shipping._folder_with_room(1) is None
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(tmp_path / "asked"))
    assert shipping._folder_with_room(1) == tmp_path / "asked"
    assert (tmp_path / "asked").is_dir()
    (tmp_path / "file").touch()
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(tmp_path / "file" / "in"))
    with pytest.raises(ValueError, match=r"JOBLIB_TEMP_FOLDER must be a folder .*in'"):
        shipping._folder_with_room(1)
