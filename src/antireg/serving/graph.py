"""An exported model: what it takes, and what it says of rows."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

TEXT = "tensor(string)"
ARRAY = "X"
"""Name of the one input of a graph that was not made from a table."""


REASON = "reason_column"


@dataclass(frozen=True)
class Input:
    """One column that a row must have.

    Attributes:
        name: Of the column.
        is_text: Whether it holds words, not numbers.
        has_gaps: Whether its value may be unknown.
        is_date: Whether it holds dates, which the graph takes as seconds since 1970.
        day_first: Whether 3/4/2024 is in April; None if such a date cannot be read.
    """

    name: str
    is_text: bool
    has_gaps: bool = True
    is_date: bool = False
    day_first: bool | None = None


class ServedGraph:
    """A graph that `antireg export` wrote.

    Args:
        content: The ONNX file.
        name: Of the file, for messages.
        n_threads: That one answer may use.
    """

    def __init__(self, content: bytes, name: str, n_threads: int = 1) -> None:
        """Load the graph."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = n_threads
        options.inter_op_num_threads = 1
        try:
            self._session = onnxruntime.InferenceSession(
                content, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise ValueError(
                f"{name!r} must be an ONNX graph, got a file that cannot be loaded as "
                "one. Write it with: antireg export model/ --onnx model.onnx"
            ) from error
        inputs = self._session.get_inputs()
        self.outputs = [value.name for value in self._session.get_outputs()]
        if not {"ood_score", "flag"} <= set(self.outputs):
            raise ValueError(
                f"{name!r} must be a graph of `antireg export`, got one without "
                "ood_score and flag. Export the model again."
            )
        about = self._session.get_modelmeta().custom_metadata_map
        self.coverage = float(about.get("coverage", "nan"))
        self.classes: list[Any] = json.loads(about.get("classes", "[]"))
        self.is_array = [value.name for value in inputs] == [ARRAY] and (
            len(inputs[0].shape) == 2 and inputs[0].shape[1] != 1
        )
        if self.is_array:
            n_features = int(inputs[0].shape[1])
            named = json.loads(about.get("features", "null"))
            names = named or [f"x{k}" for k in range(n_features)]
            # Nobody trained these on gaps: NaN would be answered with NaN, unflagged.
            self.inputs = [Input(str(feature), False, False) for feature in names]
        else:
            dates = json.loads(about.get("dates", "{}"))
            self.inputs = [
                Input(
                    one.name,
                    one.type == TEXT,
                    is_date=one.name in dates,
                    day_first=dates.get(one.name),
                )
                for one in inputs
            ]

    def answers(self, columns: list[NDArray[Any]]) -> list[dict[str, Any]]:
        """Return what the model says of each row, as JSON.

        Args:
            columns: Values of every input, in order, (rows,) each.
        """
        if self.is_array:
            given = {ARRAY: np.stack(columns, axis=1)}
        else:
            both = zip(self.inputs, columns, strict=True)
            given = {one.name: values[:, None] for one, values in both}
        found = dict(zip(self.outputs, self._session.run(None, given), strict=True))
        chances = found.pop("probabilities", None)
        plain = {name: values.tolist() for name, values in found.items()}
        if REASON in plain:
            plain[REASON] = [self._column(index) for index in plain[REASON]]
        names = list(plain)
        rows = [
            {name: _json(value) for name, value in zip(names, values, strict=True)}
            for values in zip(*plain.values(), strict=True)
        ]
        if chances is not None:
            for row, shares in zip(rows, chances.tolist(), strict=True):
                row["probabilities"] = self._named(shares)
        return rows

    def _column(self, index: int) -> str | None:
        """Return the column that tells most of a flagged row, None if none does."""
        return self.inputs[index].name if index >= 0 else None

    def _named(self, shares: list[float]) -> Any:
        """Return probabilities by class, or as a list if the classes are not known."""
        if not self.classes:
            return shares
        return {
            str(name): share for name, share in zip(self.classes, shares, strict=True)
        }


def load_graph(path: Path) -> ServedGraph:
    """Return the graph of a file."""
    return ServedGraph(path.read_bytes(), path.name)


def _json(value: Any) -> Any:
    """Return a value that JSON has: null in place of what is not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
