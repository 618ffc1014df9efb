"""Inputs on disk are read in pieces, and train as if they were in memory."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import torch

from antireg import EnsembleClassifier, EnsembleRegressor
from antireg.rows import stored
from antireg.rows.data import ALIGNMENT
from antireg.rows.stored import stored_rows
from tests.parallel.test_workers import assert_same_fit
from tests.small_tables import QUICK, labelled, unfinished_is_fine
from tests.small_tables import table as made_table

pytestmark = unfinished_is_fine


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "LARGE", 0)
    monkeypatch.setattr(stored, "CHUNK_NUMBERS", 50)
    monkeypatch.setattr(stored, "PAGES", 2**17)


def on_disk(folder: Path, X: np.ndarray, mode: str = "r", order: str = "C"):
    made = np.lib.format.open_memmap(
        folder / "X.npy", "w+", X.dtype, X.shape, fortran_order=order == "F"
    )
    made[:] = X
    made.flush()
    return np.load(folder / "X.npy", mmap_mode=mode)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_fit_from_disk_is_that_from_memory(tmp_path: Path, dtype, order) -> None:
    X, y = made_table()
    X = (10 * X).astype(dtype)
    weight = np.arange(len(y)) % 5
    on_disk_too = on_disk(tmp_path, X, order=order)
    fits = [
        EnsembleRegressor(**QUICK).fit(given, y, sample_weight=weight)
        for given in (X, on_disk_too)
    ]
    assert_same_fit(*fits)
    assert np.array_equal(fits[0].predict(X), fits[1].predict(on_disk_too))
    assert np.array_equal(fits[0].held_out_rows_, fits[1].held_out_rows_)
    one, other = (fit.training_data_ for fit in fits)
    assert np.array_equal(one.mean, other.mean)
    if dtype in (np.float32, np.float64):  # others are turned into float64 in memory
        assert one.fingerprint == other.fingerprint


@pytest.mark.processor
def test_a_classifier_and_workers_take_rows_from_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("antireg.training.groups.MANY", 1)
    X, y = labelled()
    file = on_disk(tmp_path, X)[10:]
    settings = {**QUICK, "scaling": "standard"}
    split_up = EnsembleClassifier(**settings, n_jobs=2)
    split_up.fit(file, y[10:], checkpoint=tmp_path / "checkpoint")
    alone = EnsembleClassifier(**settings).fit(file, y[10:])
    assert_same_fit(alone, split_up)
    loaded = EnsembleClassifier(**settings).fit(np.array(file), y[10:])
    # Means are summed in another order: each addition may be off by 2⁻⁵³ of the sum of
    # all sizes. Training may amplify that, so it is not the predictions that agree.
    off = len(y) * 2.0**-53 * np.abs(X).max()
    for name in ("shift", "scale"):
        one, other = getattr(loaded.scaling_, name), getattr(alone.scaling_, name)
        np.testing.assert_allclose(one, other, rtol=0, atol=4 * off)


def test_pieces_of_a_file_are_aligned_as_tensors_are(tmp_path: Path) -> None:
    X, _ = made_table()
    file = stored_rows(on_disk(tmp_path, X.astype(np.float32)))
    assert file is not None
    assert {rows.data_ptr() % ALIGNMENT for rows in file.split(7)} == {0}


def test_columns_have_the_statistics_of_an_array(tmp_path: Path) -> None:
    X, _ = made_table()
    file = stored_rows(on_disk(tmp_path, X))
    assert file is not None
    chosen = np.arange(len(X)) % 3 == 0
    for values, rows in ((X, file), (X[chosen], file[chosen])):
        assert np.array_equal(rows.min(0), values.min(0))
        assert np.array_equal(rows.max(0), values.max(0))
        np.testing.assert_allclose(rows.mean(0, np.float64), values.mean(0))
        np.testing.assert_allclose(rows.std(0, np.float64), values.std(0))
        assert rows.shape == values.shape
    assert np.array_equal(file[chosen][chosen[chosen]][2:5], X[chosen][2:5])


def test_a_slice_of_a_file_with_a_header_is_sent_by_name(tmp_path: Path) -> None:
    X, _ = made_table()
    file = stored_rows(on_disk(tmp_path, X)[7:, 1:])
    assert file is not None
    file[:3]
    message = pickle.dumps(file)
    assert len(message) < 2000 < X.nbytes
    again = pickle.loads(message)
    rows = torch.tensor([5, 0, 5])
    expected = torch.from_numpy(X[7:, 1:][[5, 0, 5]]).float()
    room = torch.empty(len(rows), expected.shape[1])
    again.read_into(room, rows)
    assert torch.equal(room, expected)
    assert torch.equal(
        torch.cat(list(again.split(4))), torch.from_numpy(X[7:, 1:]).float()
    )


def test_a_file_that_a_worker_does_not_have_is_named(tmp_path: Path) -> None:
    file = stored_rows(on_disk(tmp_path, made_table()[0]))
    assert file is not None
    message = pickle.dumps(file)
    (tmp_path / "X.npy").unlink()
    with pytest.raises(FileNotFoundError, match=r"must be a file that every worker"):
        pickle.loads(message)[:1]


def test_changes_that_are_not_in_the_file_are_not_lost(tmp_path: Path) -> None:
    X, y = made_table()
    changed = on_disk(tmp_path, X, mode="c")
    changed[:] = X + 1
    assert stored_rows(changed) is None
    assert_same_fit(
        EnsembleRegressor(**QUICK).fit(X + 1, y),
        EnsembleRegressor(**QUICK).fit(changed, y),
    )


def test_small_files_arrays_and_other_things_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, _ = made_table()
    file = on_disk(tmp_path, X)
    assert stored_rows(X) is None
    assert stored_rows(file[[1, 2]]) is None
    assert stored_rows(file[:, 0]) is None
    assert stored_rows([[1.0]]) is None
    monkeypatch.setattr(stored, "LARGE", file.nbytes)
    assert stored_rows(file) is None


def test_what_is_wrong_is_said_as_for_arrays(tmp_path: Path) -> None:
    X, y = made_table()
    model = EnsembleRegressor(**QUICK)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(on_disk(tmp_path, X), y[1:])
    model.fit(on_disk(tmp_path, X), y)
    with pytest.raises(ValueError, match="expecting 3 features"):
        model.predict(on_disk(tmp_path, X[:, :2]))
    X[77, 1] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        model.fit(on_disk(tmp_path, X), y)
