from datetime import UTC, datetime

import numpy as np
import pyarrow as pa

from antireg.onnx.builder import Graph
from antireg.onnx.table import add_columns
from antireg.tables import Column, Encoding
from antireg.tables.values import type_of
from onnx import TensorProto
from tests.onnx.running import run

ENCODING = Encoding(
    (
        Column("size", "numeric", fill=0.5),
        Column("income", "numeric", fill=2.5, missing=True),
        Column("new", "boolean", fill=0.25),
        Column("colour", "categorical", categories=("blue", "red")),
        Column("street", "categorical", missing=True, categories=("a",)),
    ),
    "price",
    "numeric",
)
ROWS = {
    "size": [1.0, None, 3.0, 4.0],
    "income": [None, 2.0, 3.0, 4.0],
    "new": [True, False, None, True],
    "colour": ["red", "blue", "green", None],
    "street": ["a", None, "b", "a"],
}


def given(encoding, rows):
    """Return the columns as the graph takes them, (rows, 1) each."""
    found = {}
    for column in encoding.columns:
        words, values = column.kind == "categorical", rows[column.name]
        gap, dtype = ("", np.object_) if words else (np.nan, np.float32)
        if column.kind == "date":
            dtype, values = (
                np.float64,
                [value and value.replace(tzinfo=UTC).timestamp() for value in values],
            )
        filled = [gap if value is None else value for value in values]
        found[column.name] = np.array(filled, dtype=dtype)[:, None]
    return found


def encoded(encoding, rows):
    """Return the features and which rows are strange, as the graph finds them."""
    graph = Graph()
    features, strange, first = add_columns(graph, encoding)
    graph.output("features", features, TensorProto.DOUBLE, None)
    graph.output("strange", strange, TensorProto.BOOL, ["rows"])
    graph.output("first", first, TensorProto.INT64, ["rows"])
    found = run(graph, **given(encoding, rows))
    assert (found["strange"] == (found["first"] >= 0)).all()
    return found["features"], found["first"]


def test_columns_become_the_features_they_become_in_python():
    features, first = encoded(ENCODING, ROWS)
    types = {column.name: type_of(column.kind) for column in ENCODING.columns}
    batch = pa.record_batch({k: pa.array(v, types[k]) for k, v in ROWS.items()})
    expected, words = ENCODING.encode(batch)
    np.testing.assert_array_equal(features, expected)
    assert (first >= 0).tolist() == [word != "" for word in words]


def test_the_first_column_may_be_one_of_categories():
    turned = Encoding(ENCODING.columns[::-1], "price", "numeric")
    assert turned.columns[1].name == "colour"
    for encoding in (turned, Encoding(turned.columns[1:], "price", "numeric")):
        _, first = encoded(encoding, ROWS)
        assert first.shape == (4,)
    assert first.tolist() == [-1, 3, 0, 0]  # no size; green; no colour


def test_features_match_hand_values():
    features, first = encoded(ENCODING, ROWS)
    # size; income, is missing; new; blue, red, unseen; a, missing, unseen.
    assert features[0].tolist() == [1, 2.5, 1, 1, 0, 1, 0, 1, 0, 0]
    assert features[1].tolist() == [0.5, 2, 0, 0, 1, 0, 0, 0, 1, 0]
    assert features[2].tolist() == [3, 3, 0, 0.25, 0, 0, 1, 0, 0, 1]
    # No size; no truth value, and green; no colour.
    assert first.tolist() == [-1, 0, 2, 3]


def test_a_table_whose_rows_cannot_be_strange_has_none():
    encoding = Encoding((Column("size", "numeric", missing=True),), "y", "numeric")
    assert encoded(encoding, {"size": [1.0, None]})[1].tolist() == [-1, -1]


DATES = Encoding(
    (
        Column("sold", "date", fill=19_000.0),
        Column("seen", "date", fill=1.5, missing=True, clock=True),
    ),
    "price",
    "numeric",
)
MOMENTS = {
    "sold": [datetime(2024, 2, 29), datetime(1, 1, 1), None, datetime(9999, 12, 31)],
    "seen": [datetime(1969, 7, 20, 20, 17, 40), None, datetime(1970, 1, 1), None],
}


def test_dates_become_the_features_they_become_in_python():
    features, first = encoded(DATES, MOMENTS)
    types = {column.name: type_of(column.kind) for column in DATES.columns}
    batch = pa.record_batch({k: pa.array(v, types[k]) for k, v in MOMENTS.items()})
    expected, words = DATES.encode(batch)
    # An angle of up to 2π, from a day number of up to 4e6 with 16 digits.
    np.testing.assert_allclose(features, expected, rtol=0, atol=1e-8)
    # Weeks have seven values, which must be those of training in single precision.
    week = [np.float32(found[:, 3:5]) for found in (features, expected)]
    np.testing.assert_array_equal(*week)
    assert (first >= 0).tolist() == [word != "" for word in words]
    # 1970 began on a Thursday, where cycles are counted from.
    assert features[2, 5:13].tolist() == [0, 0, 1, 0, 1, 0, 1, 0]


def test_a_second_outside_the_calendar_is_missing():
    graph = Graph()
    features, strange, _ = add_columns(
        graph, Encoding(DATES.columns[:1], "y", "numeric")
    )
    graph.output("features", features, TensorProto.DOUBLE, None)
    graph.output("strange", strange, TensorProto.BOOL, ["rows"])
    found = run(graph, sold=np.array([[1e18], [-np.inf], [0.0]]))
    assert found["strange"].tolist() == [True, True, False]
    assert found["features"][:, 0].tolist() == [19_000, 19_000, 0]
