"""Copies of a user's estimator, fitted on some of the rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from antireg.parallel.processes import in_processes
from antireg.trusted.frames import taken

Array = NDArray[np.float64]
Item = TypeVar("Item")
Result = TypeVar("Result")


class Table(NamedTuple):
    """Rows as a user passes them.

    Attributes:
        X: An array or a frame.
        y: Targets, (rows,) or (rows, targets), or classes.
        weight: How much each row counts, (rows,), if they differ.
        groups: Label of each row, (rows,), if there are any.
    """

    X: Any
    y: NDArray[Any]
    weight: Array | None = None
    groups: NDArray[Any] | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.y)

    def at(self, places: NDArray[Any]) -> Table:
        """Return some rows, given by integers or a mask."""
        weight = None if self.weight is None else self.weight[places]
        groups = None if self.groups is None else self.groups[places]
        return Table(taken(self.X, places), self.y[places], weight, groups)

    @property
    def weights(self) -> Array:
        """How much each row counts, (rows,)."""
        return np.ones(len(self)) if self.weight is None else self.weight


def fitted(estimator: Any, rows: Table, seed: int | None) -> Any:
    """Return a copy of an estimator, fitted on these rows.

    Args:
        estimator: The user's.
        rows: What to fit it on.
        seed: For every `random_state` that is not set; None leaves them so.
    """
    model = clone(estimator)
    if seed is not None:
        free = [
            name
            for name, value in sorted(model.get_params().items())
            if value is None and name.rpartition("__")[2] == "random_state"
        ]
        model.set_params(**dict.fromkeys(free, seed))
    if rows.weight is None:
        return model.fit(rows.X, rows.y)
    return model.fit(rows.X, rows.y, **{_weight_name(model): rows.weight})


def quietly_fitted(estimator: Any, rows: Table, seed: int | None) -> Any:
    """Return the same without warnings: the fit on all rows has said them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fitted(estimator, rows, seed)


def for_each(
    function: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None
) -> list[Result]:
    """Return what a function makes of every item, in order, side by side if asked.

    Args:
        function: Whatever cloudpickle can send.
        items: What to call it with.
        n_jobs: Processes, as joblib counts them.
    """
    n_workers = min(joblib.effective_n_jobs(n_jobs), len(items))
    if n_workers <= 1:
        return [function(item) for item in items]

    def numbered(number: int) -> tuple[int, Result]:
        return number, function(items[number])

    found = dict(in_processes(numbered, range(len(items)), n_workers))
    return [found[number] for number in range(len(items))]


def _weight_name(model: Any) -> str:
    """Return the name by which `fit` takes weights, through the steps of a pipeline."""
    prefix = ""
    while isinstance(model, Pipeline):
        name, model = model.steps[-1]
        prefix += f"{name}__"
    if not has_fit_parameter(model, "sample_weight"):
        raise ValueError(
            f"sample_weight must be left out for a {type(model).__name__}, whose fit "
            "does not take it, got weights."
        )
    return prefix + "sample_weight"
