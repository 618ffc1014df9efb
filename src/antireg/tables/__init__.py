"""Tables of named columns, in files of any size, as the inputs of an ensemble."""

from antireg.tables.encoding import Column, Encoding, target_values
from antireg.tables.files import TableWriter, column_names, read_table, stream_table
from antireg.tables.learning import learn_encoding

__all__ = [
    "Column",
    "Encoding",
    "TableWriter",
    "column_names",
    "learn_encoding",
    "read_table",
    "stream_table",
    "target_values",
]
