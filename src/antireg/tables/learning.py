"""What the training table says about how to read tables like it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antireg.advice import warn_user
from antireg.tables.columns import TARGET_KINDS, Column, Seen
from antireg.tables.encoding import Encoding
from antireg.tables.names import listing, short
from antireg.tables.notation import USUAL, Notation
from antireg.tables.values import as_numbers


class Ways(NamedTuple):
    """How a user allows more categories, leaves columns out, and names groups."""

    more: str
    leave_out: Callable[[str], str]
    group: str


ON_THE_COMMAND_LINE = Ways(
    "raise that by --most-categories",
    lambda names: f"with --drop {names!r}",
    "A column that says which rows belong together is for --groups.",
)
IN_PYTHON = Ways(
    "TableEncoder(most_categories=...) in a Pipeline takes more",
    lambda names: f"before, or turn {names!r} into numbers or dates (pd.to_datetime)",
    "A column that says which rows belong together is for groups= of fit.",
)

FEWEST_NUMBERED = 20
"""In fewer rows, numbers may be consecutive by chance."""


def learn_encoding(
    table: Any,
    target: str,
    *,
    categorical: Collection[str] = (),
    most_categories: int = 100,
    notations: Mapping[str, Notation] | None = None,
) -> Encoding:
    """Return how to read tables like this one.

    Rows without a target are not trained on, and nothing is learned from them.

    Args:
        table: The training rows.
        target: Name of the column to predict.
        categorical: Columns whose numbers are only names, such as post codes.
        most_categories: Columns with more different values are refused.
        notations: How the cells of columns are written, where that is known.
    """
    if not table.num_rows:
        raise ValueError("The table must have rows to learn from, got none.")
    values = table[target]
    known = pc.is_valid(values)
    if not pc.any(known).as_py():
        raise ValueError(
            f"The table must have rows with a value of {target!r}, got none."
        )
    names = [name for name in table.column_names if name != target]
    if not names:
        raise ValueError(
            f"The table must have a column beside the target {target!r}, got none."
        )
    target_kind = kind_of_type(values.type)
    if target_kind not in TARGET_KINDS:
        raise ValueError(
            f"The target {target!r} must hold numbers, text or true and false, got "
            f"{values.type}. Turn it into numbers first, such as days."
        )
    # Column by column: a file's rows need not all be in memory.
    rows = ((name, table[name].filter(known)) for name in names)
    columns = learn_columns(rows, categorical, most_categories, notations)
    return Encoding(columns, target, target_kind)


class Refused:
    """Columns that cannot be used, which are all named at once."""

    def __init__(self, most_categories: int, ways: Ways) -> None:
        """Start without any."""
        self.most_categories, self.ways = most_categories, ways
        self.empty: list[str] = []
        self.infinite: list[str] = []
        self.others: dict[str, str] = {}
        self.many: dict[str, int] = {}

    def check(self) -> None:
        """Raise if there are some."""
        said = []
        if self.empty:
            said.append(self._rule(self.empty, "hold some values, got none"))
        if self.infinite:
            said.append(self._rule(self.infinite, "hold some finite numbers, got none"))
        if self.others:
            found = short(", ".join(dict.fromkeys(self.others.values())), 80)
            rule = f"hold numbers, text, dates or true and false, got {found}"
            said.append(self._rule(list(self.others), rule))
        if self.many:
            counts = short(", ".join(map(str, self.many.values())), 80)
            rule = (
                f"have at most {self.most_categories} different values to be read as "
                f"categories ({self.ways.more}), got {counts}"
            )
            said.append(self._rule(list(self.many), rule))
        if said:
            every = [*self.empty, *self.infinite, *self.others, *self.many]
            them = "it" if len(every) == 1 else "them"
            raise ValueError(
                f"{short(' '.join(said), 600)} Leave {them} out "
                f"{self.ways.leave_out(short(','.join(every)))}."
                + (f" {self.ways.group}" if self.many else "")
            )

    @staticmethod
    def _rule(names: list[str], rule: str) -> str:
        word = "Column" if len(names) == 1 else "Columns"
        return f"{word} {listing(names, 2)} must {rule}."


def kind_of_type(type_: pa.DataType) -> str | None:
    """Return the kind of columns of a type, None if they cannot be used."""
    inner = type_.value_type if pa.types.is_dictionary(type_) else type_
    if pa.types.is_string(inner) or pa.types.is_large_string(inner):
        return "categorical"
    if pa.types.is_boolean(inner):
        return "boolean"
    if pa.types.is_date(inner) or pa.types.is_timestamp(inner):
        return "date"
    numeric = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return "numeric" if any(test(inner) for test in numeric) else None


def learn_columns(
    columns: Iterable[tuple[str, pa.ChunkedArray]],
    categorical: Collection[str] = (),
    most_categories: int = 100,
    notations: Mapping[str, Notation] | None = None,
    ways: Ways = ON_THE_COMMAND_LINE,
) -> tuple[Column, ...]:
    """Return how to read columns like these.

    Args:
        columns: Names and values.
        categorical: As of `learn_encoding`, and so are the others.
        most_categories: See there.
        notations: See there.
        ways: Out of an error.
    """
    refused, notations = Refused(most_categories, ways), notations or {}
    learned = [
        _learn_column(
            name, values, name in categorical, refused, notations.get(name, USUAL)
        )
        for name, values in columns
    ]
    refused.check()
    return tuple(column for column in learned if column is not None)


def _learn_column(
    name: str,
    values: pa.ChunkedArray,
    as_category: bool,
    refused: Refused,
    notation: Notation,
) -> Column | None:
    """Return what to know of a column, or None if it is refused."""
    kind = "categorical" if as_category else kind_of_type(values.type)
    if pa.types.is_null(values.type):
        refused.empty.append(name)
        return None
    if kind is None:
        refused.others[name] = str(values.type)
        return None
    missing = values.null_count > 0
    if kind == "categorical":
        found = pc.unique(values.cast(pa.string())).drop_null().to_pylist()
        if len(found) > refused.most_categories:
            refused.many[name] = len(found)
            return None
        return Column(name, kind, missing=missing, categories=tuple(sorted(found)))
    numbers = as_numbers(values)
    present = numbers[np.isfinite(numbers)]
    if not present.size:
        refused.infinite.append(name)
        return None
    if kind == "numeric" and counts_rows(numbers):
        warn_user(
            f"Column {name!r} numbers the rows, from {numbers.min():.0f} to "
            f"{numbers.max():.0f}. New rows will have other numbers and be flagged for "
            f"it: leave it out with --drop {name!r}, unless it is a measurement.",
        )
    missing = bool(np.isnan(numbers).any())
    seen = Seen(len(present), float(present.min()), float(present.max()))
    return Column(
        name,
        kind,
        _mean(present),
        missing,
        seen=None if kind == "boolean" else seen,
        clock=kind == "date" and bool((present % 1 != 0).any()),
        notation=notation,
    )


def _mean(numbers: NDArray[np.float64]) -> float:
    """Return the mean, also of numbers whose sum is not a number."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = numbers.mean()
        if not np.isfinite(mean):
            mean = (numbers / len(numbers)).sum()
    return float(np.clip(mean, numbers.min(), numbers.max()))


def counts_rows(numbers: NDArray[np.float64]) -> bool:
    """Return whether a column holds consecutive whole numbers, each once, (rows,)."""
    if len(numbers) < FEWEST_NUMBERED or not np.isfinite(numbers).all():
        return False
    low, high = numbers.min(), numbers.max()
    if low % 1 or high != low + (len(numbers) - 1):
        return False
    return bool((np.diff(np.sort(numbers)) == 1).all())
