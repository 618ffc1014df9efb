import numpy as np
import pytest

from antireg.tables import spilling
from antireg.tables.spilling import RowStore


@pytest.mark.parametrize("most_bytes", [0, 100, 2**30])
def test_rows_come_back_in_order_from_memory_or_disk(tmp_path, monkeypatch, most_bytes):
    monkeypatch.setattr(spilling, "MOST_BYTES", most_bytes)
    rows = np.arange(60.0).reshape(20, 3)
    store = RowStore(tmp_path)
    for first in range(0, 20, 7):
        store.add(rows[first : first + 7])
    assert np.array_equal(store.all(), rows)
    assert isinstance(store.all(), np.memmap) == (most_bytes < rows.nbytes)
    assert any(tmp_path.iterdir()) == (most_bytes < rows.nbytes)


def test_rows_without_a_folder_stay_in_memory(monkeypatch):
    monkeypatch.setattr(spilling, "MOST_BYTES", 0)
    store = RowStore(None)
    store.add(np.ones((2, 3)))
    assert np.array_equal(store.all(), np.ones((2, 3)))
