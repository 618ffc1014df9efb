from pathlib import Path

import numpy as np
import pytest

from antireg.paper.data.uci_splits import build, gap_splits, standard_splits
from antireg.paper.data.uci_tables import NAMES, uci

SHARED = Path(__file__).parents[4] / "shared" / "data" / "uci"


def test_standard_splits_are_the_published_ones():
    train, test = standard_splits(308, 20)[0]
    assert train[:5].tolist() == [73, 304, 228, 238, 259]  # yacht, split 0
    assert (len(train), len(test)) == (277, 31)
    assert sorted([*train, *test]) == list(range(308))


def test_gap_splits_take_the_middle_third_of_each_feature():
    x = np.column_stack([[5, 3, 1, 4, 2, 0, 6], [0, 1, 2, 3, 4, 5, 6]])
    (outer, middle), (_, other_middle) = gap_splits(x)
    assert sorted(x[middle, 0]) == [2, 3, 4]
    assert sorted(x[outer, 0]) == [0, 1, 5, 6]
    assert sorted(other_middle) == [2, 3, 4]


def test_a_built_file_loads(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTIREG_DATA", str(tmp_path))
    rng = np.random.default_rng(0)
    assert build("yacht", rng.random((60, 3)), rng.random(60)).exists()
    assert len(uci("yacht", "standard", 19).test) == 6
    assert len(uci("yacht", "gap", 2).ood["gap"]) == 20


def test_wrong_tables_are_refused():
    with pytest.raises(ValueError, match=r"shapes \(3, 2\) and \(3, 1\)"):
        build("yacht", np.zeros((3, 2)), np.zeros((3, 1)))
    with pytest.raises(ValueError, match="got 'mars'"):
        build("mars", np.zeros((3, 2)), np.zeros(3))


@pytest.mark.parametrize("name", NAMES)
def test_splits_match_the_files_on_hand(name):
    if not SHARED.is_dir():
        pytest.skip(f"{SHARED} with the published splits is not here")
    with np.load(SHARED / f"{name}.npz") as file:
        n_splits = sum(key.startswith("standard_train") for key in file.files)
        for k, (train, test) in enumerate(standard_splits(len(file["X"]), n_splits)):
            assert (file[f"standard_train_{k}"] == train).all()
            assert (file[f"standard_test_{k}"] == test).all()
