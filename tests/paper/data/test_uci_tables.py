import numpy as np
import pytest

from antireg.paper.data.uci_tables import uci


@pytest.fixture
def yacht(tmp_path, monkeypatch):
    """A little set in the feature-file format: 40 rows, y = row number."""
    monkeypatch.setenv("ANTIREG_DATA", str(tmp_path))
    (tmp_path / "uci").mkdir()
    rows = np.arange(40)
    middle = (rows >= 13) & (rows < 26)
    np.savez(
        tmp_path / "uci" / "yacht.npz",
        X=np.column_stack([rows, rows % 7]).astype(float),
        y=rows.astype(float),
        standard_train_0=rows[:36],
        standard_test_0=rows[36:],
        standard_train_1=rows[4:],
        standard_test_1=rows[:4],
        gap_train_0=rows[~middle],
        gap_test_0=rows[middle],
    )


def targets(*pieces):
    return sorted(int(y) for piece in pieces for y in piece.y)


def test_standard_split_keeps_the_published_test_rows(yacht):
    split = uci("yacht", index=1)
    assert targets(split.test) == [0, 1, 2, 3]
    assert targets(split.train, split.validation) == list(range(4, 40))
    assert len(split.validation) == 4
    assert split.ood == {}


def test_gap_split_tests_inside_and_outside_the_gap(yacht):
    split = uci("yacht", "gap")
    assert targets(split.ood["gap"]) == list(range(13, 26))
    outside = [*range(13), *range(26, 40)]
    assert targets(split.train, split.validation, split.test) == outside
    assert (len(split.test), len(split.validation)) == (3, 2)


def test_the_seed_decides_the_validation_rows(yacht):
    assert targets(uci("yacht", seed=1).validation) == targets(
        uci("yacht", seed=1).validation
    )
    assert targets(uci("yacht", seed=1).validation) != targets(
        uci("yacht", seed=2).validation
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mars",), "name must be one of boston.* got 'mars'"),
        (("yacht", "random"), "split must be 'standard' or 'gap', got 'random'"),
        (("yacht", "standard", 2), "between 0 and 1 .* got 2"),
        (("yacht", "gap", -1), "between 0 and 0 .* got -1"),
    ],
)
def test_wrong_arguments_are_named(yacht, arguments, message):
    with pytest.raises(ValueError, match=message):
        uci(*arguments)


def test_a_missing_file_says_where_it_was_sought(yacht, tmp_path):
    with pytest.raises(FileNotFoundError, match=f"uci/wine.npz is not in {tmp_path}"):
        uci("wine")
