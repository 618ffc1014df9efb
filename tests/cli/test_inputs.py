import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from antireg import EnsembleClassifier, EnsembleRegressor, TableEncoder
from antireg.cli import inputs
from antireg.cli.inputs import (
    TASKS,
    choose_task,
    encoded_rows,
    has_targets,
    labelled_rows,
    open_model,
    some_rows,
    unlabelled_rows,
)
from antireg.cli.sources import Source
from antireg.estimators import saving
from antireg.tables import Column, Encoding
from tests.made_tables import written
from tests.small_models import SMALL, regressor, rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

NUMBER = Column("size", "numeric", fill=0.0)
COLOUR = Column("colour", "categorical", categories=("blue", "red"))
ENCODING = Encoding((NUMBER, COLOUR), "price", "numeric")
TABLE = pa.table(
    {
        "size": [1.0, 2.0, 3.0],
        "colour": ["red", "green", "blue"],
        "price": [10.0, 20.0, None],
    }
)


def encoding_of(kind):
    return Encoding((NUMBER,), "price", kind)


def read_as(encoding):
    model = regressor()
    model.encoder_ = TableEncoder.of(encoding)
    return model


def test_a_model_comes_with_how_its_table_is_read(tmp_path):
    columns = tuple(Column(name, "numeric", fill=1.5) for name in "abc")
    encoding = Encoding(columns, "price", "numeric")
    saving.save(read_as(encoding), tmp_path / "model")
    stored, back = open_model(tmp_path / "model")
    assert back == encoding
    assert stored.model.n_features_in_ == 3


def test_a_model_of_an_array_is_for_python(tmp_path):
    regressor().save(tmp_path / "model")
    with pytest.raises(ValueError, match=r"must be fitted on a table.*\.load"):
        open_model(tmp_path / "model")


def test_a_model_of_two_targets_is_for_python(tmp_path):
    X, y = rows()
    frame = pd.DataFrame(X, columns=list("abc"))
    model = EnsembleRegressor(**SMALL).fit(frame, np.stack([y, y], axis=1))
    model.save(tmp_path / "model")
    with pytest.raises(ValueError, match="must have one target for commands, got 2"):
        open_model(tmp_path / "model")


def test_a_table_of_other_features_than_the_model_has_is_damage(tmp_path):
    saving.save(read_as(Encoding((), "price", "numeric")), tmp_path / "model")
    with pytest.raises(ValueError, match="columns must be a list"):
        open_model(tmp_path / "model")
    saving.save(read_as(encoding_of("numeric")), tmp_path / "model")
    with pytest.raises(ValueError, match="does not have the features of the model"):
        open_model(tmp_path / "model")


def test_rows_without_a_target_are_left_out_and_counted():
    said = []
    X, words, y = encoded_rows(TABLE.to_batches(), ENCODING, said.append)
    assert X.tolist() == [[1, 0, 1, 0], [2, 0, 0, 1]]
    assert words == ["", "colour 'green': not seen"]
    assert y.tolist() == [10, 20]
    assert said == ["Left out 1 row without a value of 'price'."]


def test_rows_too_many_for_memory_come_back_from_a_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("antireg.tables.spilling.MOST_BYTES", 8)
    batches = TABLE.to_batches(max_chunksize=1)
    X, words, y = encoded_rows(batches, ENCODING, lambda _: None, tmp_path)
    assert isinstance(X, np.memmap)
    assert X.tolist() == [[1, 0, 1, 0], [2, 0, 0, 1]]
    assert (len(words), len(y)) == (2, 2)


def test_a_table_without_any_target_is_refused():
    with pytest.raises(ValueError, match="must have rows with a value of 'price'"):
        encoded_rows(TABLE.slice(2).to_batches(), ENCODING, lambda _: None)


def test_rows_in_memory_are_all_taken():
    X, y, said = np.arange(20.0).reshape(10, 2), np.arange(10.0), []
    found = some_rows(X, y, np.array([1, 4]), said.append)
    assert [values.tolist() for values in found] == [[[2, 3], [8, 9]], [1, 4]]
    assert said == []


def test_of_many_rows_on_disk_some_are_taken_evenly(tmp_path, monkeypatch):
    monkeypatch.setattr("antireg.rows.stored.LARGE", 0)
    monkeypatch.setattr(inputs, "MOST_BYTES", 3 * 8 * 2)
    X = np.memmap(tmp_path / "rows", dtype=np.float64, mode="w+", shape=(10, 2))
    X[:] = np.arange(20.0).reshape(10, 2)
    y, said = np.arange(10.0), []
    taken, targets = some_rows(X, y, np.array([0, 2, 4, 6, 8]), said.append)
    assert targets.tolist() == [0, 4, 8]
    assert taken.tolist() == [[0, 1], [8, 9], [16, 17]]
    assert said == ["Measured the model on 3 of 5 validation rows."]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_with_targets_is_read_and_its_other_columns_named(kind, tmp_path):
    table = TABLE.append_column("street", pa.array(["a", "b", "c"]))
    said = []
    path = tmp_path / f"table.{kind}"
    written(table, path)
    X, _, y = labelled_rows(path, ENCODING, said.append)
    assert X[:, 0].tolist() == [1, 2]
    assert y.tolist() == [10, 20]
    assert any("'street'" in text and "not used" in text for text in said)


def test_bad_cells_are_counted_and_rows_with_a_bad_target_left_out(tmp_path):
    path, said = tmp_path / "table.csv", []
    path.write_text("size,colour,price\nbig,red,10\n2,blue,cheap\n$3,red,30\n")
    X, words, y = labelled_rows(path, ENCODING, said.append)
    assert X[:, 0].tolist() == [0, 3]
    assert words == ["size 'big': not a number", ""]
    assert y.tolist() == [10, 30]
    assert said == [
        "2 rows have cells that cannot be read, such as 'big' in column 'size', row 1. "
        "Such cells count as missing, and their rows are flagged.",
        "Left out 1 row without a value of 'price'.",
    ]


def test_rows_may_come_without_targets(tmp_path):
    path, said = tmp_path / "table.csv", []
    source = Source(path)
    path.write_text("size,colour\n1,red\nbig,green\n")
    assert not has_targets(source, ENCODING)
    X, words = unlabelled_rows(source, ENCODING, said.append)
    assert X.tolist() == [[1, 0, 1, 0], [0, 0, 0, 1]]
    assert words == ["", "size 'big': not a number; colour 'green': not seen"]
    assert said[0].startswith("1 row has a cell that cannot be read, 'big' in column")
    path.write_text("size,colour,price\n1,red,\n2,red,?\n")
    assert not has_targets(source, ENCODING)
    path.write_text("size,colour,price\n1,red,\n2,red,3\n")
    assert has_targets(source, ENCODING)
    path.write_text("size,colour\n")
    with pytest.raises(ValueError, match="must have at least one row"):
        unlabelled_rows(source, ENCODING, said.append)


@pytest.mark.parametrize("made", [False, True])
def test_a_folder_without_a_model_says_how_to_make_one(made, tmp_path):
    folder = tmp_path / "modle"
    if made:
        folder.mkdir()
    with pytest.raises(ValueError, match=r"There is no model in .*antireg fit TABLE"):
        open_model(folder)


AMOUNTS, COUNTS = np.array([0.5, 1.0, 2.0]), np.array([0.0, 1.0, 2.0])
MANY, WORDS = np.arange(11.0), np.array(["a", "b"])


@pytest.mark.parametrize(
    ("asked", "kind", "y", "task"),
    [
        ("auto", "numeric", AMOUNTS, "regression"),
        ("auto", "numeric", MANY, "regression"),
        ("auto", "numeric", COUNTS, "classification"),
        ("auto", "categorical", WORDS, "classification"),
        ("auto", "boolean", np.array([True, False]), "classification"),
        ("regression", "numeric", COUNTS, "regression"),
        ("classification", "numeric", AMOUNTS, "classification"),
        ("classification", "numeric", MANY, "classification"),
    ],
)
def test_the_task_is_the_one_asked_for_or_that_of_the_targets(asked, kind, y, task):
    said = []
    found, targets = choose_task(asked, encoding_of(kind), y, said.append)
    assert found == task
    np.testing.assert_array_equal(targets, y)
    guessed = asked == "auto" and y is COUNTS
    assert len(said) == guessed
    assert all("3 different whole numbers: read as classes" in text for text in said)


def test_whole_numbers_become_whole_labels():
    _, y = choose_task("classification", encoding_of("numeric"), COUNTS, print)
    assert y.dtype == np.int64


def test_words_cannot_be_amounts():
    with pytest.raises(ValueError, match="--task regression needs a target of numbers"):
        choose_task("regression", encoding_of("categorical"), WORDS, print)


def test_tasks_are_those_of_the_estimators():
    assert TASKS["regression"] is EnsembleRegressor
    assert TASKS["classification"] is EnsembleClassifier
