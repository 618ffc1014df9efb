"""Rows are added once, whole, and say why there are none."""

import pytest
from benchmarks.leaderboard.book import FAILED, Book, Row


def test_a_fit_is_added_once(tmp_path):
    book = Book(tmp_path / "rows")
    book.add("line", "far", 0, [("auroc", 0.75), ("caught", 0.5)])
    book.add("line", "far", 0, [("auroc", 0.1)])
    assert book.rows("line") == [
        Row("line", "far", 0, "auroc", 0.75),
        Row("line", "far", 0, "caught", 0.5),
    ]
    assert book.done("line") == {("far", 0)}


def test_a_fit_without_numbers_leaves_its_reason(tmp_path):
    Book(tmp_path).add_failure("line", "far", 1, "ValueError: no\n  rows,\n at all\n")
    (row,) = Book(tmp_path).rows("line")
    assert (row.measure, row.note) == (FAILED, "ValueError: no rows, at all")
    assert Book(tmp_path).done("line") == {("far", 1)}


def test_numbers_take_the_place_of_a_failure_and_not_the_other_way(tmp_path):
    book = Book(tmp_path)
    book.add("line", "mean", 0, [("auroc", 0.123456)])
    book.add_failure("line", "far", 0, "over the limit")
    assert book.done("line", failed=False) == {("mean", 0)}
    book.add("line", "far", 0, [("auroc", 0.75)])
    book.add_failure("line", "far", 0, "over the limit")
    mean = Row("line", "mean", 0, "auroc", 0.123456)
    assert book.rows("line") == [mean, Row("line", "far", 0, "auroc", 0.75)]


def test_a_file_with_other_columns_is_refused(tmp_path):
    (tmp_path / "line.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="must have the columns task, method"):
        Book(tmp_path).rows("line")
