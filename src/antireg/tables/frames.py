"""Tables in memory, of pandas, Polars or Arrow, and the few things all can be asked.

They are read as Parquet files are: with the types they have, so text stays text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from antireg.tables.names import columns, listing, short

if TYPE_CHECKING:  # imported when the first table with words comes
    import pyarrow as pa


def is_frame(X: Any) -> bool:
    """Return whether X has named columns: a table of pandas, Polars or Arrow."""
    return hasattr(X, "columns") and hasattr(X, "shape")


def frame_names(X: Any) -> list[str]:
    """Return the names of the columns; raise if two are equal."""
    names = [str(name) for name in getattr(X, "column_names", X.columns)]
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise ValueError(
            "The columns of X must have names of their own, got "
            f"{listing(sorted(twice))} more than once. Rename them."
        )
    return names


def holds_only_numbers(X: Any) -> bool:
    """Return whether every cell of a table is a number, so that it is an array too."""
    try:
        values = np.asarray(X)
    except (TypeError, ValueError, NotImplementedError):
        return False
    return values.dtype.kind in "fiub" and not np.isnan(values).any()


def arrow_is_there() -> bool:
    """Return whether pyarrow is installed, which words, gaps and dates need."""
    return find_spec("pyarrow") is not None


def arrow_table(X: Any, names: Sequence[str] | None = None) -> pa.Table:
    """Return a table as one of Arrow, in whose columns categories are text.

    Args:
        X: Of pandas, Polars or Arrow.
        names: Columns to take, in this order; by default all.
    """
    _check_arrow()
    import pyarrow as pa  # noqa: PLC0415  (extra `tables`)

    frame_names(X)
    if hasattr(X, "iloc"):
        table = _from_pandas(X)
    elif hasattr(X, "to_arrow"):
        table = X.to_arrow()
    else:
        table = X if isinstance(X, pa.Table) else pa.table(X)
    table = table.select(list(names)) if names is not None else table
    for index, column in enumerate(table.schema):
        type_ = column.type
        if pa.types.is_string_view(type_) or pa.types.is_dictionary(type_):
            values = table.column(index)
            if pa.types.is_dictionary(type_):
                values = values.cast(type_.value_type)
            table = table.set_column(index, column.name, values.cast(pa.string()))
    return table


def table_of_array(X: NDArray[Any], names: Sequence[str]) -> pa.Table:
    """Return an array as a table with these names of columns."""
    _check_arrow()
    import pyarrow as pa  # noqa: PLC0415  (extra `tables`)

    return pa.table(list(X.T), names=list(names))


def check_columns(given: Sequence[str], wanted: Sequence[str]) -> None:
    """Raise if a table has not the columns of training, in any order."""
    missing = [name for name in wanted if name not in set(given)]
    if missing:
        raise ValueError(
            f"X must have the {columns(missing)} as in training, got only "
            f"{listing(given)}. Columns are matched by name."
        )
    extra = [name for name in given if name not in set(wanted)]
    if extra:
        raise ValueError(
            f"X must have only the columns of training, got the {columns(extra)} too. "
            "Leave what is not an input out."
        )


def target_name(y: Any) -> str:
    """Return the name of a series of targets, "target" if it has none."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else "target"


def as_targets(y: Any) -> Any:
    """Return targets of Polars or Arrow as an array; others stay as they are."""
    of_pandas = hasattr(y, "iloc")
    return np.asarray(y) if hasattr(y, "to_numpy") and not of_pandas else y


def _check_arrow() -> None:
    if not arrow_is_there():
        raise ImportError(
            "X with words, gaps or dates needs pyarrow. Install antireg[tables], or "
            "turn X into numbers first."
        )


def _from_pandas(X: Any) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415  (extra `tables`)

    X = X.set_axis([str(name) for name in X.columns], axis=1)
    try:
        return pa.Table.from_pandas(X, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        mixed = [name for name in X.columns if not _is_of_one_kind(X[name])]
        kinds = {type(value).__name__ for name in mixed[:1] for value in X[name]}
        raise ValueError(
            f"The {columns(mixed)} of X must hold values of one kind, got "
            f"{short(', '.join(sorted(kinds)), 80)}. Turn them into numbers or text."
        ) from None


def _is_of_one_kind(values: Any) -> bool:
    import pyarrow as pa  # noqa: PLC0415  (extra `tables`)

    try:
        pa.Array.from_pandas(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return False
    return True
