"""Tables of named columns, in files of any size, as the inputs of an ensemble."""

from typing import TYPE_CHECKING

from antireg.first_use import on_first_use

if TYPE_CHECKING:
    from antireg.tables.columns import Column
    from antireg.tables.encoding import Encoding
    from antireg.tables.files import (
        column_names,
        open_table,
        read_table,
        stream_table,
    )
    from antireg.tables.learning import learn_encoding
    from antireg.tables.spilling import RowStore
    from antireg.tables.values import target_values
    from antireg.tables.writing import TableWriter
else:  # most of it needs pyarrow
    __getattr__, __dir__ = on_first_use(
        globals(),
        {
            "columns": ["Column"],
            "encoding": ["Encoding"],
            "files": ["column_names", "open_table", "read_table", "stream_table"],
            "learning": ["learn_encoding"],
            "spilling": ["RowStore"],
            "values": ["target_values"],
            "writing": ["TableWriter"],
        },
    )

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
