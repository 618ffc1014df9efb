"""What each command on tables returns; test_main runs them as a user does."""

import warnings

import numpy as np
import pyarrow as pa
import pytest

from antireg.cli import table_commands
from antireg.cli.inputs import labelled_rows, open_model
from antireg.cli.main import _parser
from antireg.onnx.graph import ensemble_graph
from antireg.report.evaluation import measure
from antireg.tables import read_table
from tests.made_tables import houses, written
from tests.quick_options import FAST


def run(*arguments):
    """Return what a command returns, and what it said."""
    args = _parser().parse_args([str(argument) for argument in arguments])
    said = []
    return getattr(table_commands, args.run)(args, said.append), said


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A folder with tables and a regressor of price."""
    folder = tmp_path_factory.mktemp("commands")
    train = written(houses(300), folder / "train.csv")
    colours = ["purple", "red"] * 40
    written(houses(80, seed=1, colour=colours), folder / "test.csv")
    options = ["--target", "price", "--drop", "dear", *FAST]
    run("fit", train, *options, "--out", folder / "model")
    return folder


def fit(work, *options, target="price", out="other"):
    command = ["fit", work / "train.csv", "--target", target, "--out", work / out]
    return run(*command, *FAST, *options)


def test_fit_returns_the_task_the_rows_and_how_it_does(work, tmp_path):
    found, _ = fit(work, "--drop", "dear", out=tmp_path / "model")
    stored, _ = open_model(tmp_path / "model")
    assert found["task"] == "regression"
    assert (found["rows"], found["held_out"]["rows"]) == (300, 30)
    # size; income and its gaps; three colours and unseen; new.
    assert found["features"] == 1 + 2 + 4 + 1
    assert found["ood_threshold"] == stored.model.ood_threshold()
    assert found["held_out"] == stored.metrics


def test_rows_of_another_file_may_be_the_held_out_ones(work, tmp_path):
    written(houses(60, seed=3), tmp_path / "held.csv")
    options = ["--validation", tmp_path / "held.csv", "--drop", "price"]
    found, _ = fit(work, *options, target="dear", out=tmp_path / "model")
    assert found["task"] == "classification"
    assert (found["rows"], found["held_out"]["rows"]) == (300, 60)


def test_rows_of_a_group_are_held_out_together(tmp_path):
    table = houses(300)
    table = table.append_column("street", pa.array(np.arange(300) // 20))
    written(table, tmp_path / "t.csv")
    out = ["--out", tmp_path / "model", "--target", "price", "--drop", "dear"]
    found, _ = run("fit", tmp_path / "t.csv", *out, "--groups", "street", *FAST)
    assert found["held_out"]["rows"] in (20, 40)  # whole streets of 20 houses
    assert "street" not in open_model(tmp_path / "model")[1].types


def test_a_gap_among_groups_of_rows_without_a_target_is_said(tmp_path):
    rows = [f"{k / 10},{k % 7},d{k // 20}" for k in range(200)]
    (tmp_path / "t.csv").write_text("\n".join(["y,x,day", *rows, ",3,-", ""]))
    out = ["--out", tmp_path / "model", "--target", "y"]
    _, said = run("fit", tmp_path / "t.csv", *out, "--groups", "day", *FAST)
    assert "Read '-' in column 'day' as missing." in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--drop", "garden"], "must have the column 'garden', got"),
        (["--drop", "price"], "--drop must not name a column of --target"),
        (
            ["--drop", "new", "--categorical", "new"],
            "--drop must not name a column of --categorical, got 'new'",
        ),
        (["--groups", "garden"], "must have the column 'garden', got"),
        (["--groups", "price"], "--groups must not name a column of --target"),
        (["--groups", "income"], "--groups must name a column with a value in every"),
        (["--drop", "dear"], "--out must be a new folder.* Add --overwrite"),
    ],
)
def test_a_fit_that_cannot_be_meant_is_refused(options, message, work):
    out = "model" if options == ["--drop", "dear"] else "none"
    with pytest.raises(ValueError, match=message):
        fit(work, *options, out=out)
    assert not (work / "none" / "SHA256SUMS").exists()


@pytest.mark.parametrize("rate", [None, 0.3])
def test_all_commands_flag_the_same_rows(work, tmp_path, rate):
    """A row is flagged for its score or for its colour, whoever is asked."""
    options = [] if rate is None else ["--false-alarm-rate", rate]
    out = tmp_path / "scored.parquet"
    command = ["predict", work / "model", work / "test.csv", "--out", out]
    found, _ = run(*command, *options)
    flags = np.array(read_table(out, ["flag"], [])["flag"].to_pylist())
    stored, encoding = open_model(work / "model")
    X, words, y = labelled_rows(work / "test.csv", encoding, lambda _: None)
    expected = stored.model.is_ood(X, rate) | (np.array(words) != "")
    np.testing.assert_array_equal(flags, expected)
    assert found["rows"] == 80
    assert 40 <= found["flagged"] == flags.sum() < 80
    assert found["flagged_share"] == flags.mean()
    if rate is None:
        assert measure(stored.model, X, y, words).flags.tolist() == flags.tolist()
        measured, _ = run("evaluate", work / "model", work / "test.csv")
        assert measured["in_distribution"]["flagged_share"] == flags.mean()


def test_predict_does_not_write_over_its_table(work):
    before = (work / "test.csv").read_bytes()
    with pytest.raises(ValueError, match="--out must not be the table itself"):
        run("predict", work / "model", work / "test.csv", "--out", work / "test.csv")
    assert (work / "test.csv").read_bytes() == before


def test_a_table_without_rows_gives_no_file(work, tmp_path):
    written(houses(80).slice(0, 0), tmp_path / "none.parquet")
    out = tmp_path / "scored.csv"
    with pytest.raises(ValueError, match=r"'none\.parquet' must have at least one"):
        run("predict", work / "model", tmp_path / "none.parquet", "--out", out)
    assert not out.exists()


def test_files_of_the_same_name_are_told_apart_on_the_page(work, tmp_path):
    written(houses(50, seed=2, shift=8.0), tmp_path / "test.csv")
    page = tmp_path / "page.html"
    command = ["evaluate", work / "model", work / "test.csv"]
    found, _ = run(*command, "--ood", tmp_path / "test.csv", "--report", page)
    sections = {"verdict", "promises", "in_distribution", "ood", "detection", "report"}
    assert set(found) == sections
    assert found["ood"]["rows"] == 50
    text = page.read_text()
    assert str(work / "test.csv") in text
    assert str(tmp_path / "test.csv") in text


def test_a_page_that_is_no_page_is_refused(work, tmp_path):
    command = ["evaluate", work / "model", work / "test.csv", "--report"]
    with pytest.raises(ValueError, match=r"--report must be a file ending in \.html"):
        run(*command, tmp_path / "page.pdf")


def test_inspect_returns_what_is_stored(work):
    found, said = run("inspect", work / "model")
    model = open_model(work / "model")[0].model
    assert said == []
    assert found["estimator"] == "EnsembleRegressor"
    assert found["target"] == "price"
    assert found["columns"] == {
        "size": "numeric, 1 feature",
        "income": "numeric, 2 features",
        "colour": "categorical, 4 features",
        "new": "boolean, 1 feature",
    }
    # Eight inputs, eight units, mean and variance, and a bias each.
    assert found["weights_per_member"] == (8 + 1) * 8 + (8 + 1) * 2
    assert (found["members"], found["epochs"], found["training_rows"]) == (2, 3, 300)
    assert found["ood_threshold"] == model.ood_threshold()


def test_export_writes_the_graph_of_the_model_and_its_table(work, tmp_path):
    out = tmp_path / "model.onnx"
    found, _ = run("export", work / "model", "--onnx", out, "--coverage", "0.8")
    stored, encoding = open_model(work / "model")
    threshold = stored.model.ood_threshold()
    expected = ensemble_graph(stored.model, 0.8, threshold, encoding)
    assert out.read_bytes() == expected.SerializeToString()
    assert found == {"onnx": str(out), "bytes": out.stat().st_size}


def test_a_warning_is_said_once():
    said = []
    with table_commands._spoken_warnings(said.append):
        for text in ("few rows", "few rows", "no GPU"):
            warnings.warn(text, stacklevel=1)
    assert said == ["few rows", "no GPU"]
