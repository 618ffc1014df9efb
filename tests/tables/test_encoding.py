import json

import numpy as np
import pyarrow as pa
import pytest

from antireg.storage.fields import Fields
from antireg.tables import Column, Encoding, learn_encoding
from antireg.tables.notation import BadCell

TABLE = pa.table(
    {
        "size": [1.0, 3.0, None, 2.0],
        "rooms": [1, 2, 3, 4],
        "new": [True, False, True, True],
        "colour": ["red", None, "blue", "red"],
        "price": [1.0, 2.0, 3.0, 4.0],
    }
)


@pytest.fixture
def encoding():
    return learn_encoding(TABLE, "price")


def batch(**changes):
    values = {"size": 2.0, "rooms": 1, "new": True, "colour": "red"} | changes
    return pa.record_batch({name: [value] for name, value in values.items()})


def test_columns_become_named_features(encoding):
    assert encoding.features == [
        *("size", "size is missing", "rooms", "new"),
        *("colour = blue", "colour = red", "colour = (missing)", "colour is unseen"),
    ]
    assert encoding.owners.tolist() == [0, 0, 1, 2, 3, 3, 3, 3]


def test_training_rows_match_hand_values_and_are_not_strange(encoding):
    X, words = encoding.encode(TABLE.to_batches()[0])
    # The mean of 1, 3 and 2 stands for the missing size.
    assert X.tolist() == [
        [1, 0, 1, 1, 0, 1, 0, 0],
        [3, 0, 2, 0, 0, 0, 1, 0],
        [2, 1, 3, 1, 1, 0, 0, 0],
        [2, 0, 4, 1, 0, 1, 0, 0],
    ]
    assert words == [""] * 4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"colour": "purple"}, "colour 'purple': not seen"),
        ({"rooms": None}, "rooms missing: never missing in training"),
        (
            {"colour": "purple", "rooms": None},
            "rooms missing: never missing in training; colour 'purple': not seen",
        ),
        ({"size": None, "colour": None}, ""),
    ],
)
def test_what_training_never_held_is_said(encoding, change, words):
    assert encoding.encode(batch(**change))[1] == [words]


def test_an_unseen_category_wakes_the_feature_that_slept_in_training(encoding):
    X, _ = encoding.encode(batch(colour="purple"))
    assert X[0, 4:].tolist() == [0, 0, 0, 1]


def test_infinite_numbers_become_the_largest_one(encoding):
    X, _ = encoding.encode(batch(size=-np.inf))
    assert X[0, 0] == -np.finfo(np.float64).max


def test_the_description_is_json_and_gives_the_same_encoding(encoding):
    text = json.dumps(encoding.described())
    again = Encoding.from_description(Fields("model", json.loads(text), "table."))
    assert again == encoding


@pytest.mark.parametrize(
    "change",
    [
        {"columns": []},
        {"columns": [{"name": "a", "kind": "code", "missing": False}]},
        {"columns": 2 * [{"name": "a", "kind": "numeric", "missing": True, "fill": 0}]},
        {"target": 3},
    ],
)
def test_a_hostile_description_is_refused(encoding, change):
    with pytest.raises(ValueError, match="damaged"):
        Encoding.from_description(Fields("model", encoding.described() | change, ""))


def test_features_of_a_column_are_told_apart_by_what_they_say():
    columns = (
        Column("a", "numeric", missing=True),
        Column("b", "categorical", missing=True, categories=("x", "y")),
        Column("c", "boolean"),
    )
    encoding = Encoding(columns, "target", "numeric")
    assert encoding.parts == [[[0], [1]], [[2, 3, 4], [5]], [[6]]]
    assert not encoding.plain
    assert Encoding(columns[2:], "target", "numeric").plain


def test_a_cell_that_could_not_be_read_is_the_reason_instead_of_its_gap(encoding):
    bad = [BadCell(0, "rooms", "many"), BadCell(0, "size", "x")]
    X, words = encoding.encode(batch(rooms=None, size=None), bad)
    assert words == ["size 'x': not a number; rooms 'many': not a number"]
    # The mean stands for it, as for any gap.
    assert X[0, [0, 1, 2]].tolist() == [2.0, 1.0, 2.5]


def test_dates_that_cannot_be_are_missing():
    table = pa.table({"sold": pa.array([0, 10], pa.date32()), "price": [1.0, 2.0]})
    encoding = learn_encoding(table, "price")
    rows = pa.record_batch({"sold": pa.array([-800_000, 5], pa.date32())})
    X, words = encoding.encode(rows)
    assert X[:, 0].tolist() == [5.0, 5.0]
    assert words == ["sold missing: never missing in training", ""]
    assert encoding.parts == [[[0], [1, 2], [3, 4]]]
