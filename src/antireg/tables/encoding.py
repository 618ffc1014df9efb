"""From columns of any type to the numbers an ensemble is trained on.

A numeric or boolean column becomes one feature; if some training rows lack a value, a
second feature says which. A categorical column becomes one feature per category and one
that is 1 for a value never seen: in training it is always 0, so an anti-regularized
network has large weights there, and its members disagree. A date becomes its days and
its place in the year and the week.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from antireg.predictive.values import Array
from antireg.storage.fields import Fields
from antireg.tables import wording
from antireg.tables.columns import TARGET_KINDS, Column, column_from
from antireg.tables.notation import BadCell, Notation

if TYPE_CHECKING:  # a model loads, and takes arrays, without pyarrow
    import pyarrow as pa


@dataclass(frozen=True)
class Encoding:
    """How a table becomes the inputs of an ensemble.

    Attributes:
        columns: In the order of the features they become.
        target: Name of the column to predict.
        target_kind: One of `TARGET_KINDS`.
    """

    columns: tuple[Column, ...]
    target: str
    target_kind: str

    @cached_property
    def features(self) -> list[str]:
        """Names of the features, in order."""
        return [name for column in self.columns for name in column.features]

    @property
    def plain(self) -> bool:
        """Whether every column is one feature: numbers or truth values, no gaps."""
        return len(self.features) == len(self.columns)

    @property
    def types(self) -> dict[str, pa.DataType]:
        """Type of every column that is needed to predict."""
        from antireg.tables.values import type_of  # noqa: PLC0415  (needs pyarrow)

        return {column.name: type_of(column.kind) for column in self.columns}

    @property
    def target_type(self) -> pa.DataType:
        """Type of the column to predict."""
        from antireg.tables.values import type_of  # noqa: PLC0415  (needs pyarrow)

        return type_of(self.target_kind)

    @property
    def notations(self) -> dict[str, Notation]:
        """How the cells of each column are written in files of text."""
        return {column.name: column.notation for column in self.columns}

    @property
    def words(self) -> set[str]:
        """All categories."""
        return {value for column in self.columns for value in column.categories}

    @cached_property
    def owners(self) -> NDArray[np.intp]:
        """Index of the column each feature comes from, (features,)."""
        counts = [len(column.features) for column in self.columns]
        return np.repeat(np.arange(len(counts)), counts)

    @cached_property
    def parts(self) -> list[list[list[int]]]:
        """Indices of the features of each column, grouped by what they tell."""
        parts, first = [], 0
        for column in self.columns:
            groups = []
            for part in column.parts:
                groups.append(list(range(first, first + len(part))))
                first += len(part)
            parts.append(groups)
        return parts

    def encode(
        self, batch: pa.RecordBatch, bad: Collection[BadCell] = ()
    ) -> tuple[Array, list[str]]:
        """Return inputs, (rows, features), and what training never had, (rows,).

        The second is a few words for a row with an unseen category, with a cell that
        cannot be read, or without a value that every training row had; for all others
        it is empty.

        Args:
            batch: Values of all columns.
            bad: Cells that could not be read, whose values are missing in it.
        """
        from antireg.tables import values as arrow  # noqa: PLC0415  (needs pyarrow)

        inputs = np.zeros((batch.num_rows, len(self.features)))
        found: dict[int, list[wording.About]] = {}
        first = 0
        for index, column in enumerate(self.columns):
            last = first + len(column.features)
            # A date may lose what is less than a microsecond.
            exact = column.kind != "date"
            type_ = arrow.type_of(column.kind)
            values = batch.column(column.name).cast(type_, safe=exact)
            strange = arrow.encode(column, values, inputs[:, first:last])
            first = last
            mine = [cell for cell in bad if cell.column == column.name]
            for cell in mine:
                word = wording.unreadable(column.name, cell.text, column.kind)
                about = wording.About.of(word, index)
                found.setdefault(cell.row, []).append(about)
                strange[cell.row] = False
            rows = np.flatnonzero(strange)
            texts = [None] * len(rows)
            if column.kind == "categorical" and rows.size:
                texts = values.take(rows).to_pylist()
            for row, text in zip(rows.tolist(), texts, strict=True):
                about = wording.About.of(column.strange(text), index)
                found.setdefault(row, []).append(about)
        words = [""] * batch.num_rows
        for row, reasons in found.items():
            words[row] = wording.About.of(wording.joined(reasons), reasons[0].column)
        return inputs, words

    def described(self) -> dict[str, Any]:
        """Return the encoding as JSON."""
        return {
            "columns": [column.described() for column in self.columns],
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
            column_from(Fields(fields.path, values, f"{fields.name}columns."))
            for values in listed
        ]
        if len({column.name for column in columns}) < len(columns):
            raise fields.wrong("columns", "must have names of their own")
        kind = fields.choice("target_kind", TARGET_KINDS)
        return Encoding(tuple(columns), fields.text("target"), kind)
