import argparse
import re

import numpy as np
import pyarrow as pa
import pytest

from antireg.cli.sources import (
    Source,
    group_numbers,
    kept_columns,
    named,
    open_source,
    say_extra,
)
from antireg.rows.checks import check_groups
from antireg.tables import Column, Encoding
from antireg.tables.formats import Format
from tests.made_tables import written

ENCODING = Encoding((Column("size", "numeric"),), "price", "numeric")
TABLE = pa.table({"size": [1.0], "price": [10.0]})
PLAIN = argparse.Namespace(encoding=None, separator=None, decimal=None)


def test_what_is_not_plain_about_a_file_is_said(tmp_path):
    said = []
    (tmp_path / "t.csv").write_text("size;price\n1,5;2\n")
    with open_source(tmp_path / "t.csv", PLAIN, said.append) as source:
        assert source.columns == ["size", "price"]
    assert said == [
        "Read 't.csv' as text separated by semicolons, with decimal commas."
    ]
    for name in ("plain.csv", "plain.parquet"):
        written(TABLE, tmp_path / name)
        with open_source(tmp_path / name, PLAIN, said.append) as source:
            assert source.columns == ["size", "price"]
    assert len(said) == 1


def test_what_is_stated_reaches_the_reader(tmp_path):
    args = argparse.Namespace(encoding="cp1252", separator="|", decimal=".")
    (tmp_path / "t.csv").write_bytes("größe|a,b\n1|2\n".encode("cp1252"))
    with open_source(tmp_path / "t.csv", args, lambda _: None) as source:
        assert source.stated == Format("cp1252", "|", ".")
        assert source.columns == ["größe", "a,b"]


def test_a_file_that_is_not_there_is_named(tmp_path):
    with (
        pytest.raises(ValueError, match="There is no file"),
        open_source(tmp_path / "t.csv", PLAIN, lambda _: None),
    ):
        pass


def test_names_may_hold_commas():
    known = ["a", "b", "a,b", "note, free", ""]
    assert named(["a", "b"], known) == ["a,b"]
    assert named(["b", "a"], known) == ["b", "a"]
    assert named(["b", "note", " free", "c"], known) == ["b", "note, free", "c"]
    assert named([""], known) == [""]
    assert named([], known) == []


def test_all_alone_means_every_column(tmp_path):
    source = Source(tmp_path / "table.csv")
    written(TABLE, source.path)
    assert kept_columns(["all"], source) == ["size", "price"]
    assert kept_columns(["all", "size"], source) == ["all", "size"]


def test_only_columns_that_nobody_asked_for_are_named(tmp_path):
    source, said = Source(tmp_path / "table.csv"), []
    written(TABLE.append_column("street", pa.array(["a"])), source.path)
    say_extra(source, ENCODING, [], said.append)
    say_extra(source, ENCODING, ["street"], said.append)
    assert len(said) == 1
    assert re.fullmatch(
        r"Ignored the column 'street': not used by the model\.", said[0]
    )


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_groups_are_of_the_rows_with_targets(name, tmp_path):
    table = pa.table({"day": [3, 3, 20, 3], "price": [1.0, None, 2.0, 1.0]})
    written(table, tmp_path / name)
    found = group_numbers("day", Source(tmp_path / name), table["price"])
    assert found.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    "day", [[20, 3, 3], ["20", "3", "3"], ["fri", "thu", "fri"], [-0.5, -1.0, 2.0]]
)
def test_groups_are_numbered_as_in_python(day, tmp_path):
    table = pa.table({"day": day, "price": [1.0, 2.0, 3.0]})
    written(table, tmp_path / "t.csv")
    found = group_numbers("day", Source(tmp_path / "t.csv"), table["price"])
    labels = np.array([float(d) if d not in ("fri", "thu") else d for d in day])
    assert found.tolist() == check_groups(labels, table.to_pandas()).tolist()


@pytest.mark.parametrize("day", [["a", None, None], ["a", "b", " "]])
def test_a_row_without_a_group_is_refused(day, tmp_path):
    table = pa.table({"day": day, "price": [1.0, None, 2.0]})
    written(table, tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="'day' with 1 gap"):
        group_numbers("day", Source(tmp_path / "t.parquet"), table["price"])


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (pa.array([1.0, float("nan")]), "'day' with 1 gap"),
        (pa.array([[1], [2]]), "of text, numbers or dates, got 'day' of type list"),
        (pa.array([b"\xff", b"a"]), "got 'day' of type binary"),
    ],
)
def test_groups_are_words_numbers_or_dates(cells, message, tmp_path):
    table = pa.table({"day": cells, "price": [1.0, 2.0]})
    written(table, tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=message):
        group_numbers("day", Source(tmp_path / "t.parquet"), table["price"])
