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
