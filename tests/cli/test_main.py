import csv
import json
import shutil
import signal
import subprocess
import sys

import numpy as np
import onnxruntime
import pyarrow as pa
import pytest

import antireg
from antireg.cli import main
from antireg.tables import read_table
from antireg.training.interrupt import StopOnInterrupt
from antireg.version import __version__
from tests.made_tables import houses, written
from tests.quick_options import LEARNS


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A folder with tables, a regressor of price and a classifier of dear."""
    folder = tmp_path_factory.mktemp("work")
    train = written(houses(300), folder / "train.csv")
    written(houses(100, seed=1), folder / "test.csv")
    written(houses(100, seed=1), folder / "test.parquet")
    written(houses(80, seed=2, shift=8.0), folder / "shifted.csv")
    for target, other in (("price", "dear"), ("dear", "price")):
        command = ["fit", train, "--target", target, "--drop", other, "--quiet"]
        assert main([*command, *LEARNS, "--out", str(folder / target)]) == 0
    return folder


def test_the_command_is_a_module_too():
    command = [sys.executable, "-m", "antireg.cli", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{__version__}\n"


def run(capsys, *arguments):
    """Return the exit code, stdout and stderr."""
    code = main([str(argument) for argument in arguments])
    return code, *capsys.readouterr()


def scored(path):
    return read_table(path, ["mean", "std", "low", "high", "flag", "reason"], [])


def test_fit_says_what_it_did(work, capsys, tmp_path):
    command = [
        "fit",
        work / "train.csv",
        "--target",
        "price",
        "--drop",
        "dear",
        *LEARNS,
    ]
    command += ["--validation-fraction", "0.05", "--false-alarm-rate", "0.001"]
    command += ["--out", tmp_path / "model"]
    code, out, err = run(capsys, *command, "--json")
    assert code == 0
    said = json.loads(out)
    assert said["task"] == "regression"
    assert (said["rows"], said["held_out"]["rows"]) == (300, 15)
    # Trainings without parts of the rows let all of them count, not 15 alone.
    assert err.count("Note: 300 held-out scores are too few") == 1
    assert run(capsys, "inspect", tmp_path / "model")[2] == ""  # said once, at the fit


def test_a_table_larger_than_memory_gives_the_same_model(
    work, capsys, tmp_path, monkeypatch
):
    train = written(houses(300), tmp_path / "train.parquet")
    command = ["fit", train, "--target", "price", "--drop", "dear", *LEARNS]
    code, in_memory, _ = run(capsys, *command, "--out", tmp_path / "memory", "--json")
    monkeypatch.setattr("antireg.tables.spilling.MOST_BYTES", 1000)
    monkeypatch.setattr("antireg.rows.stored.LARGE", 0)
    command += ["--out", tmp_path / "disk", "--json"]
    code, on_disk, _ = run(capsys, *command)
    assert code == 0
    one, other = json.loads(in_memory), json.loads(on_disk)
    assert {**one, "model": ""} == {**other, "model": ""}
    monkeypatch.setattr("antireg.cli.inputs.MOST_BYTES", 1000)
    code, _, said = run(capsys, *command, "--overwrite")
    assert code == 0
    assert "of 30 validation rows" in said


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_predict_writes_one_row_for_each(work, capsys, tmp_path, kind):
    out_file = tmp_path / f"scored.{kind}"
    table = work / f"test.{kind}"
    code, out, _ = run(capsys, "predict", work / "price", table, "--out", out_file)
    assert code == 0
    assert "rows: 100" in out
    found = scored(out_file)
    assert found.num_rows == 100
    low, mean, high = (found[name].to_numpy() for name in ("low", "mean", "high"))
    assert np.all((low < mean) & (mean < high))


def test_csv_and_parquet_give_the_same(work, capsys, tmp_path):
    for kind in ("csv", "parquet"):
        table, out = work / f"test.{kind}", tmp_path / f"{kind}.parquet"
        run(capsys, "predict", work / "price", table, "--out", out)
    one, two = (scored(tmp_path / f"{kind}.parquet") for kind in ("csv", "parquet"))
    assert one.equals(two)


def test_a_category_never_seen_makes_the_flag_speak(work, capsys, tmp_path):
    table = houses(20, seed=1, colour=["purple"] * 20)
    written(table, tmp_path / "new.csv")
    out_file = tmp_path / "scored.csv"
    code, *_ = run(
        capsys, "predict", work / "price", tmp_path / "new.csv", "--out", out_file
    )
    assert code == 0
    found = scored(out_file)
    assert all(found["flag"].to_pylist())
    assert all(
        "colour 'purple': not seen" in reason for reason in found["reason"].to_pylist()
    )


def test_a_classifier_says_label_and_probabilities(work, capsys, tmp_path):
    out_file = tmp_path / "scored.csv"
    command = ["predict", work / "dear", work / "test.csv", "--keep", "size,dear"]
    code, *_ = run(capsys, *command, "--out", out_file, "--quiet")
    assert code == 0
    found = read_table(out_file, ["size", "dear", "label", "p(no)", "p(yes)"], [])
    total = found["p(no)"].to_numpy() + found["p(yes)"].to_numpy()
    np.testing.assert_allclose(total, 1)
    assert set(found["label"].to_pylist()) <= {"no", "yes"}


def test_whole_numbers_are_classes_and_the_user_is_told(capsys, tmp_path):
    rng = np.random.default_rng(0)
    table = pa.table({"a": rng.normal(size=60), "k": rng.integers(3, size=60)})
    path = written(table, tmp_path / "t.csv")
    command = ["fit", path, "--target", "k", *LEARNS, "--out", tmp_path / "m", "--json"]
    code, out, err = run(capsys, *command)
    assert (code, json.loads(out)["task"]) == (0, "classification")
    assert "--task regression" in err
    code, out, _ = run(capsys, *command, "--task", "regression", "--overwrite")
    assert (code, json.loads(out)["task"]) == (0, "regression")


def test_inspect_says_what_is_stored(work, capsys):
    code, out, _ = run(capsys, "inspect", work / "price", "--json")
    said = json.loads(out)
    assert code == 0
    assert said["columns"]["colour"] == "categorical, 4 features"
    assert said["members"] == 2


def test_quiet_says_nothing(work, capsys, tmp_path):
    command = ["predict", work / "price", work / "test.csv", "--quiet", "--out"]
    assert run(capsys, *command, tmp_path / "o.csv") == (0, "", "")


def test_export_gives_the_same_from_raw_columns(work, capsys, tmp_path):
    for name in ("price", "dear"):
        file = tmp_path / f"{name}.onnx"
        assert run(capsys, "export", work / name, "--onnx", file)[0] == 0
        table = houses(50, seed=5, colour=["red"] * 49 + ["purple"])
        written(table, tmp_path / "rows.parquet")
        session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
        inputs = {
            c: table[c].to_numpy().astype("float32")[:, None]
            for c in ("size", "income", "new")
        }
        inputs["colour"] = table["colour"].to_numpy(zero_copy_only=False)[:, None]
        names = [value.name for value in session.get_outputs()]
        found = dict(zip(names, session.run(None, inputs), strict=True))
        command = ["predict", work / name, tmp_path / "rows.parquet", "--out"]
        run(capsys, *command, tmp_path / "out.parquet")
        ours = read_table(tmp_path / "out.parquet", ["ood_score", "flag"], [])
        expected = ours["ood_score"].to_numpy()
        np.testing.assert_allclose(found["ood_score"], expected, rtol=1e-4)
        np.testing.assert_array_equal(found["flag"], ours["flag"].to_numpy())
        assert found["flag"][-1]


def test_columns_named_like_results_are_not_mixed_up(work, capsys, tmp_path):
    names = {"size": "mean", "income": "antireg/v1", "dear": "flag"}
    table = houses(60).drop_columns(["new"])
    renamed = table.rename_columns([names.get(c, c) for c in table.column_names])
    path = written(renamed, tmp_path / "t.csv")
    model = tmp_path / "model"
    command = ["fit", path, "--target", "price", "--drop", "flag", *LEARNS]
    assert run(capsys, *command, "--out", model)[0] == 0
    predict = ["predict", model, path, "--out", tmp_path / "o.csv"]
    assert run(capsys, *predict)[0] == 0
    code, _, err = run(capsys, *predict, "--keep", "all")
    assert (code, "got ['flag', 'mean']" in err) == (1, True)
    code, _, err = run(capsys, "export", model, "--onnx", tmp_path / "m.onnx")
    assert (code, "got ['mean']" in err) == (1, True)


def test_evaluate_measures_both_files(work, capsys, tmp_path):
    command = ["evaluate", work / "price", work / "test.csv", "--json"]
    code, out, _ = run(capsys, *command, "--ood", work / "shifted.csv")
    said = json.loads(out)
    assert code == 0
    assert said["in_distribution"]["rows"] == 100
    assert said["ood"]["rmse"] > said["in_distribution"]["rmse"]
    assert 0 <= said["detection"]["auroc"] <= 1


WRONG = {
    "no such model": (
        "predict nowhere test.csv --out o.csv",
        "antireg fit TABLE --target COLUMN --out nowhere"),
    "no such table": ("predict price none.csv --out o.csv", "There is no file"),
    "no such target": ("fit train.csv --target cost --out m", "the column 'cost'"),
    "no such drop": ("fit train.csv --target price --drop x --out m", "column 'x'"),
    "not an amount": (
        "fit train.csv --target dear --task regression --out m", "target of numbers"),
    "not a setting of the method": (
        "fit train.csv --target price --out m --method dare --method-setting tau=1",
        "delta, start, threshold"),
    "not a number": (
        "fit train.csv --target price --out m --method dare --method-setting delta=big",
        "delta=0.5"),
    "a value out of range": (
        "fit train.csv --target price --out m --n-members 0", "n_members must be"),
    "a model in the way": ("fit train.csv --target price --out price/../", "new or an"),
    "a model that would be replaced": (
        "fit train.csv --target price --out price", "Add --overwrite to replace it."),
    "a table that would be replaced": (
        "predict price test.csv --out ./test.csv", "not be the table itself"),
    "no page": ("evaluate price test.csv --report test.csv", "ending in .html"),
    "no column to keep": (
        "predict price test.csv --out o.csv --keep q", "must have the column 'q'"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_in_one_sentence(case, work, capsys, monkeypatch):
    monkeypatch.chdir(work)
    command, words = WRONG[case]
    code, out, err = run(capsys, *command.split(), "--quiet")
    assert (code, out) == (1, "")
    assert err.startswith("Error: ")
    assert words in err
    assert "Traceback" not in err


def test_columns_that_are_too_few_too_many_or_mistyped_are_named(
    work, capsys, tmp_path
):
    table = houses(10)
    out = ["--out", tmp_path / "o.csv"]
    few = written(table.drop_columns(["size"]), tmp_path / "few.csv")
    code, _, err = run(capsys, "predict", work / "price", few, *out)
    assert code == 1
    assert "must have the column 'size'" in err
    many = written(table.append_column("extra", pa.array([1] * 10)), tmp_path / "m.csv")
    code, _, err = run(capsys, "predict", work / "price", many, *out)
    assert code == 0
    assert "Ignored the columns 'dear', 'extra'" in err
    bad = written(houses(10, size=["big"] * 10), tmp_path / "bad.csv")
    code, _, err = run(capsys, "predict", work / "price", bad, *out)
    assert code == 1
    assert "Column 'size' must hold numbers as in training" in err


def test_a_damaged_model_is_said_to_be(work, capsys, tmp_path):
    folder = shutil.copytree(work / "price", tmp_path / "model")
    next(folder.glob("model-*.json")).write_text("{}")
    code, _, err = run(capsys, "inspect", folder)
    assert code == 1
    assert "damaged" in err


@pytest.mark.parametrize(
    "command", ["", "fit", "fly", "predict a b --coverage 2 --out c"]
)
def test_a_mistyped_command_exits_with_2(command, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(command.split())
    assert stopped.value.code == 2


def test_a_checkpoint_lets_the_same_command_go_on(work, capsys, tmp_path):
    command = [
        "fit",
        work / "train.csv",
        "--target",
        "price",
        "--drop",
        "dear",
        *LEARNS,
    ]
    kept = ["--checkpoint", tmp_path / "state"]
    assert run(capsys, *command, *kept, "--out", tmp_path / "first")[0] == 0
    assert (tmp_path / "state" / "training-2.safetensors").exists()
    assert run(capsys, *command, *kept, "--out", tmp_path / "again")[0] == 0
    files = [next((tmp_path / name).glob("arrays-*")) for name in ("first", "again")]
    assert files[0].stat().st_size == files[1].stat().st_size
    code, _, err = run(
        capsys, *command, *kept, "--lr", "0.5", "--out", tmp_path / "other"
    )
    assert code == 1
    assert "same data, network and settings" in err


def test_ctrl_c_stores_the_model_when_asked(work, capsys, tmp_path, monkeypatch):
    class Pressed(StopOnInterrupt):
        """Ctrl-C is pressed in the third epoch."""

        def __call__(self, epoch):
            if epoch.number == 3 and not self.asked:
                signal.raise_signal(signal.SIGINT)
            return super().__call__(epoch)

    monkeypatch.setattr("antireg.cli.table_commands.StopOnInterrupt", Pressed)
    before = signal.getsignal(signal.SIGINT)
    command = [
        "fit",
        work / "train.csv",
        "--target",
        "price",
        "--drop",
        "dear",
        *LEARNS,
    ]
    command += ["--method", "deep_ensemble", "--epochs", "1000000"]
    code, _, _ = run(
        capsys, *command, "--keep-interrupted", "--out", tmp_path / "model"
    )
    assert code == 0
    assert signal.getsignal(signal.SIGINT) == before
    assert antireg.load(tmp_path / "model").history_.n_epochs in (3, 4)


HOUSES = ["00123", "NA", "FALSE", "2020-01-01 00:00:00", "007", "1e5", "", 'a,"b"']


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_kept_columns_come_back_byte_for_byte(work, capsys, tmp_path, kind):
    ids = HOUSES * 2500 + ["text at last"]
    table = houses(len(ids), seed=1)
    with (tmp_path / "t.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*table.column_names, "id"])
        columns = [table[name].to_pylist() for name in table.column_names]
        writer.writerows(zip(*columns, ids, strict=True))
    out = tmp_path / f"o.{kind}"
    command = ["predict", work / "price", tmp_path / "t.csv", "--keep", "id,size"]
    assert run(capsys, *command, "--out", out)[0] == 0
    if kind == "csv":
        with out.open(newline="") as file:
            found = [row["id"] for row in csv.DictReader(file)]
        lines = out.read_bytes().split(b"\n")
        assert lines[1].split(b",")[:2] == [b"00123", b"%r" % columns[0][0]]
    else:
        found = read_table(out, ["id"], [])["id"].to_pylist()
    assert found == ids


def test_an_output_that_cannot_be_written_is_found_first(work, capsys, tmp_path):
    (tmp_path / "file").write_text("")
    nowhere = tmp_path / "file"
    for command in (
        ["fit", work / "none.csv", "--target", "price", "--out", nowhere / "m"],
        ["export", tmp_path / "none", "--onnx", nowhere / "m.onnx"],
        ["evaluate", tmp_path / "none", "t.csv", "--report", nowhere / "r.html"],
        ["predict", tmp_path / "none", "t.csv", "--out", nowhere / "o.csv"],
    ):
        # The other files are not there either: that is found later.
        code, _, err = run(capsys, *command)
        assert code == 1
        assert "can be written" in err


def test_fit_refuses_a_folder_of_other_things_before_training(work, capsys, tmp_path):
    (tmp_path / "model.json").write_text("{}")
    (tmp_path / "thesis.tex").write_text("precious")
    command = ["fit", work / "none.csv", "--target", "price", "--out", tmp_path]
    code, _, err = run(capsys, *command, "--overwrite")
    assert code == 1
    assert "--out must be new or an older model" in err
    assert "'model.json', which is not of a model" in err
    assert (tmp_path / "thesis.tex").read_text() == "precious"


def test_a_report_that_fails_leaves_the_older_one(work, capsys, tmp_path, monkeypatch):
    report = tmp_path / "r.html"
    report.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("antireg.disk.atomic.os.replace", full)
    command = ["evaluate", work / "price", work / "test.csv", "--report", report]
    assert run(capsys, *command)[0] == 1
    assert report.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


def test_names_and_cells_do_not_command_the_terminal(work, capsys, tmp_path):
    name = "\x1b]0;owned\x07size"
    table = houses(100).append_column(name, pa.array(range(100)))
    path = written(table, tmp_path / "t.csv")
    command = ["fit", path, "--target", "price", "--drop", "dear", *LEARNS]
    code, out, err = run(capsys, *command, "--out", tmp_path / "m")
    assert code == 0
    assert "\\x1b]0;owned\\x07size" in err
    _, inspected, _ = run(capsys, "inspect", tmp_path / "m")
    _, _, wrong = run(capsys, "predict", work / "price", tmp_path / "m", "--out", "o.c")
    for text in (out, err, inspected, wrong):
        assert "\x1b" not in text


def test_formulas_in_column_names_do_not_reach_the_reasons(capsys, tmp_path):
    names = ["=1+1", "income", "colour", "new", "price", "dear"]
    table = houses(100).rename_columns(names)
    path = written(table, tmp_path / "t.csv")
    command = ["fit", path, "--target", "price", *LEARNS, "--out", tmp_path / "m"]
    assert run(capsys, *command)[0] == 0
    lost = table.set_column(0, "=1+1", pa.nulls(100, pa.float64()))
    written(lost, tmp_path / "new.csv")
    command = ["predict", tmp_path / "m", tmp_path / "new.csv"]
    assert run(capsys, *command, "--out", tmp_path / "o.csv")[0] == 0
    with (tmp_path / "o.csv").open(newline="") as file:
        reasons = [row["reason"] for row in csv.DictReader(file)]
    assert all(reason.startswith("'=1+1 missing: never missing") for reason in reasons)
