"""The command: a toy table with a column that names the shift, from file to rows."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("resource")  # not on Windows

from benchmarks.leaderboard import __main__ as command
from benchmarks.leaderboard.__main__ import main, run
from benchmarks.leaderboard.book import FAILED, Book

from tests.benchmarks.toys import FAR, MEAN, TASK


@pytest.fixture
def table(tmp_path):
    """A table of sales: learned from one year, asked about another."""
    rng = np.random.default_rng(0)
    lines = ["year,area,kind,price"]
    for year, base in ((2023, 50), (2024, 500)):
        for k in range(120 if year == 2023 else 40):
            area = base + rng.uniform(0, 50)
            kind = "flat" if k % 2 else "house"
            lines.append(f"{year},{area:.1f},{kind},{2 * area + rng.normal():.2f}")
    path = tmp_path / "sales.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_table_of_ones_own(table, tmp_path, capsys):
    asked = ["--csv", str(table), "--target", "price", "--shift", "year"]
    asked += ["--methods", "neighbours", "constant", "--seeds", "2"]
    asked += ["--out", str(tmp_path / "mine"), "--processes", "2"]
    main(asked)
    found = {
        (row.method, row.seed, row.measure): row.value
        for row in Book(tmp_path / "mine").rows("sales")
    }
    assert found["neighbours", 0, "auroc"] == 1.0
    # The targets are ten times as large, so knowing nothing is far off.
    assert found["constant", 1, "coverage_out"] == 0.0
    said = capsys.readouterr().out
    assert "sales, constant, seed 1" in said
    assert "| 5th neighbour |" in said
    assert "1.000" in said.splitlines()[-1]
    before = (tmp_path / "mine" / "sales.csv").read_bytes()
    main(asked)
    assert (tmp_path / "mine" / "sales.csv").read_bytes() == before
    assert "sales, " not in capsys.readouterr().out


def test_words_are_classes(table, tmp_path):
    asked = ["--csv", str(table), "--target", "kind", "--shift", "year"]
    mine = tmp_path / "mine"
    main([*asked, "--methods", "constant", "--seeds", "1", "--out", str(mine)])
    found = {row.measure: row.value for row in Book(mine).rows("sales")}
    assert found["log_loss"] == pytest.approx(np.log(2), abs=0.05)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["--target", "cost", "--shift", "year"], "--target must be a column of"),
        (["--target", "price", "--shift", "when"], "--shift must be a column of"),
        (
            ["--target", "price", "--shift", "year", "--known", "1999"],
            "--shift must have the value '1999' in some rows of sales.csv",
        ),
    ],
)
def test_a_table_without_such_a_column_is_refused(table, asked, message):
    with pytest.raises(SystemExit, match=message):
        main(["--csv", str(table), *asked])


def test_options_of_a_table_need_one():
    with pytest.raises(SystemExit, match="go with --csv FILE"):
        main(["--target", "price"])


def test_an_unknown_method_is_refused():
    with pytest.raises(SystemExit, match="--methods must be among"):
        main(["--methods", "magic"])


def test_what_is_missing_is_said_and_leaves_no_row(tmp_path, monkeypatch, capsys):
    absent = replace(MEAN, title="absent", needs="no_such_package")
    found = {"far": FAR, "absent": absent}
    monkeypatch.setattr(command, "methods", lambda: found)

    def nowhere(seed):
        raise FileNotFoundError("put it there")

    tasks = {"line": TASK, "lost": replace(TASK, load=nowhere)}
    run(Book(tmp_path), tasks, ["far", "absent"], 0)
    said = capsys.readouterr().out
    assert "absent: missing, no_such_package must be installed" in said
    assert "lost: missing, put it there" in said
    assert Book(tmp_path).done("line") == {("far", 0)}
    assert not (tmp_path / "lost.csv").exists()


def test_failed_fits_are_run_again_on_request_only(tmp_path, monkeypatch):
    def broken(known, seed):
        raise ValueError("x must be smaller")

    book, tasks = Book(tmp_path), {"line": TASK}

    def run_with(far, **settings):
        monkeypatch.setattr(command, "methods", lambda: {"mean": MEAN, "far": far})
        run(book, tasks, ["mean", "far"], 0, **settings)
        return {row.measure for row in book.rows("line") if row.method == "far"}

    assert run_with(replace(FAR, fit=broken)) == {FAILED}
    of_mean = [row for row in book.rows("line") if row.method == "mean"]
    assert run_with(FAR) == {FAILED}
    assert "auroc" in run_with(FAR, retry_failed=True) - {FAILED}
    assert "auroc" in run_with(replace(FAR, fit=broken), retry_failed=True)
    assert not any(row.measure == FAILED for row in book.rows("line"))
    # What had numbers was not run again: its times are the same.
    assert [row for row in book.rows("line") if row.method == "mean"] == of_mean


def test_only_methods_for_classes_are_asked_for_classes(tmp_path, monkeypatch):
    def load(seed):
        split = TASK.load(seed)
        signs = {"y": (split.train.y > 0).astype(int)}
        train = replace(split.train, **signs)
        test = replace(split.test, y=(split.test.y > 0).astype(int))
        return replace(split, train=train, validation=train[:0], test=test)

    monkeypatch.setattr(command, "methods", lambda: {"far": FAR, "mean": MEAN})
    tasks = {"signs": replace(TASK, load=load, classes=True)}
    run(Book(tmp_path), tasks, ["far", "mean"], 0)
    assert Book(tmp_path).done("signs") == {("far", 0)}
