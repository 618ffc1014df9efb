"""From columns of any type to the numbers an ensemble is trained on.

A numeric or boolean column becomes one feature; if some training rows lack a value, a
second feature says which. A categorical column becomes one feature per category and one
that is 1 for a value never seen: in training it is always 0, so an anti-regularized
network has large weights there, and its members disagree.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antireg.predictive.values import Array
from antireg.storage.fields import Fields

KINDS = ("numeric", "boolean", "categorical")
LARGEST = float(np.finfo(np.float64).max)
MISSING = "(missing)"


@dataclass(frozen=True)
class Column:
    """How one column of a table is read.

    Attributes:
        name: In the table.
        kind: One of `KINDS`.
        fill: What stands for a missing number: the mean of the training rows.
        missing: Whether some training rows lack its value.
        categories: The values of a categorical column, sorted.
    """

    name: str
    kind: str
    fill: float = 0.0
    missing: bool = False
    categories: tuple[str, ...] = ()

    @property
    def type(self) -> pa.DataType:
        """The type its values have in memory."""
        kinds = {"numeric": pa.float64(), "boolean": pa.bool_()}
        return kinds.get(self.kind, pa.string())

    @property
    def features(self) -> list[str]:
        """Names of the features it becomes."""
        if self.kind == "categorical":
            known = [*self.categories, *([MISSING] if self.missing else [])]
            named = [f"{self.name} = {value}" for value in known]
            return [*named, f"{self.name} is unseen"]
        return [self.name, *([f"{self.name} is missing"] if self.missing else [])]

    def encode(self, values: pa.Array, into: Array) -> NDArray[np.bool_]:
        """Write the features; return which rows have a value unlike any in training.

        Args:
            values: Of this column, (rows,).
            into: Zeros, (rows, features).
        """
        if self.kind == "categorical":
            known = pa.array([*self.categories, *([None] if self.missing else [])])
            index = pc.index_in(values, value_set=known.cast(pa.string()))
            unseen: NDArray[np.bool_] = index.is_null().to_numpy(zero_copy_only=False)
            place = index.fill_null(into.shape[1] - 1).to_numpy(zero_copy_only=False)
            into[np.arange(len(into)), place] = 1.0
            return unseen
        numbers = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
        missing: NDArray[np.bool_] = np.isnan(numbers)
        # An infinite value counts as a number very far away, and is flagged.
        into[:, 0] = np.clip(np.where(missing, self.fill, numbers), -LARGEST, LARGEST)
        if self.missing:
            into[:, 1] = missing
            return np.zeros(len(into), dtype=bool)
        return missing


@dataclass(frozen=True)
class Encoding:
    """How a table becomes the inputs of an ensemble.

    Attributes:
        columns: In the order of the features they become.
        target: Name of the column to predict.
        target_kind: One of `KINDS`.
    """

    columns: tuple[Column, ...]
    target: str
    target_kind: str

    @property
    def features(self) -> list[str]:
        """Names of the features, in order."""
        return [name for column in self.columns for name in column.features]

    @property
    def types(self) -> dict[str, pa.DataType]:
        """Type of every column that is needed to predict."""
        return {column.name: column.type for column in self.columns}

    @property
    def owners(self) -> NDArray[np.intp]:
        """Index of the column each feature comes from, (features,)."""
        counts = [len(column.features) for column in self.columns]
        return np.repeat(np.arange(len(counts)), counts)

    @property
    def parts(self) -> list[list[list[int]]]:
        """Indices of the features of each column, grouped by what they tell.

        A number, and whether it is missing; a category, and whether it is unseen.
        """
        parts, first = [], 0
        for column in self.columns:
            last = first + len(column.features)
            middle = last - 1 if column.kind == "categorical" else first + 1
            halves = [list(range(first, middle)), list(range(middle, last))]
            parts.append([half for half in halves if half])
            first = last
        return parts

    @property
    def flags(self) -> dict[int, str]:
        """Description of each feature that marks a gap or a category, by its index."""
        owners = enumerate(zip(self.owners, self.features, strict=True))
        return {
            k: name
            for k, (owner, name) in owners
            if name != self.columns[owner].name
            and name != f"{self.columns[owner].name} is unseen"
        }

    def encode(self, batch: pa.RecordBatch) -> tuple[Array, list[str]]:
        """Return inputs, (rows, features), and what training never had, (rows,).

        The second is a few words for a row with an unseen category, or without a value
        that every training row had; for all others it is empty.
        """
        inputs = np.zeros((batch.num_rows, len(self.features)))
        words = [""] * batch.num_rows
        first = 0
        for column in self.columns:
            last = first + len(column.features)
            values = batch.column(column.name).cast(column.type)
            strange = column.encode(values, inputs[:, first:last])
            for row in np.flatnonzero(strange):
                missing = not values[row].is_valid or column.kind != "categorical"
                word = f"{column.name} is {'missing' if missing else 'unseen'}"
                words[row] = f"{words[row]}, {word}" if words[row] else word
            first = last
        return inputs, words

    def described(self) -> dict[str, Any]:
        """Return the encoding as JSON."""
        columns = []
        for column in self.columns:
            values = asdict(column)
            unused = ("categories",) if column.kind != "categorical" else ("fill",)
            columns.append({k: v for k, v in values.items() if k not in unused})
        return {
            "columns": columns,
            "target": self.target,
            "target_kind": self.target_kind,
        }

    @staticmethod
    def from_description(fields: Fields) -> Encoding:
        """Return the encoding of a stored model, every value checked."""
        listed = fields.get("columns")
        if type(listed) is not list or not listed:
            raise fields.wrong("columns", "must be a list of objects")
        columns = [
            _column(Fields(fields.path, values, f"{fields.name}columns."))
            for values in listed
        ]
        if len({column.name for column in columns}) < len(columns):
            raise fields.wrong("columns", "must have names of their own")
        kind = fields.choice("target_kind", KINDS)
        return Encoding(tuple(columns), fields.text("target"), kind)


def target_values(values: pa.Array, kind: str) -> NDArray[Any]:
    """Return targets as an estimator takes them, (rows,)."""
    if kind == "categorical":
        return np.array(values.to_pylist(), dtype=str)
    if kind == "boolean":
        return np.asarray(values.to_numpy(zero_copy_only=False), dtype=bool)
    return np.asarray(values.cast(pa.float64()).to_numpy(zero_copy_only=False))


def _column(fields: Fields) -> Column:
    kind, missing = fields.choice("kind", KINDS), fields.flag("missing")
    if kind == "categorical":
        categories = tuple(fields.texts("categories"))
        if len(set(categories)) < len(categories):
            raise fields.wrong("categories", "must differ")
        return Column(fields.text("name"), kind, 0.0, missing, categories)
    return Column(fields.text("name"), kind, fields.number("fill"), missing)
