"""Tables of named columns, in files of any size, as the inputs of an ensemble."""

from antireg.tables.columns import Column
from antireg.tables.encoding import Encoding, target_values
from antireg.tables.files import (
    column_names,
    open_table,
    read_table,
    stream_table,
)
from antireg.tables.learning import learn_encoding
from antireg.tables.spilling import RowStore
from antireg.tables.writing import TableWriter

__all__ = [
    "Column",
    "Encoding",
    "RowStore",
    "TableWriter",
    "column_names",
    "learn_encoding",
    "open_table",
    "read_table",
    "stream_table",
    "target_values",
]
