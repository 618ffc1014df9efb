"""The one interface: a signal says of each row how unfamiliar it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.neighbours import Array, Places, Space

Memory = dict[str, Array]
"""What a signal remembers of the references: named arrays, so that a file can hold it.
"""

DENSITY_NEIGHBOURS = 10
HIDDEN_NEIGHBOURS = 5


@dataclass(frozen=True, eq=False)
class Seen:
    """Rows as one set of members sees them.

    Args:
        inputs: As the network sees them, (rows, columns).
        uncertainty: What the members say of it themselves, above 0, (rows,); None if
            there is only one, which says nothing.
        hidden: What enters the last layer, all members side by side, (rows, units);
            None if the network has no such layer.
    """

    inputs: NDArray[np.floating]
    uncertainty: Array | None
    hidden: NDArray[np.floating] | None = None
    _found: dict[Space, tuple[Array, Places]] = field(
        default_factory=dict, init=False, repr=False
    )

    def near(self, space: Space, rows: NDArray[np.floating]) -> tuple[Array, Places]:
        """Return what `Space.near` finds of these rows, searched for once.

        Args:
            space: Where.
            rows: These rows in it.
        """
        if space not in self._found:
            self._found[space] = space.near(rows)
        return self._found[space]


@dataclass(frozen=True, eq=False)
class Reference:
    """Training rows that are kept, in random order, and what members make of them.

    Args:
        inputs: As the network sees them, (references, columns).
        sensitivity: How much the members' answer moves with each, (columns,).
        hidden: As in `Seen`.
    """

    inputs: NDArray[np.floating]
    sensitivity: Array
    hidden: NDArray[np.floating] | None = None

    @cached_property
    def by_inputs(self) -> Space:
        """The references by their inputs."""
        return Space(self.inputs, DENSITY_NEIGHBOURS)

    @cached_property
    def by_effect(self) -> Space:
        """The references by their inputs, each times its sensitivity."""
        return Space(self.inputs * self.sensitivity, 1)

    @cached_property
    def by_hidden(self) -> Space:
        """The references by what enters the last layer."""
        if self.hidden is None:
            raise ValueError("hidden must be given to compare rows by it, got None.")
        return Space(self.hidden, HIDDEN_NEIGHBOURS)


class Signal(ABC):
    """How unfamiliar rows are in one respect; higher is less familiar.

    It is settings only: what it learns of the references is returned by `init` and
    handed back.
    """

    least_scale: ClassVar[float] = 0.05
    """The least by which held-out rows are taken to differ, in its own unit."""
    for_flag: ClassVar[bool] = True
    """Whether it counts for `is_ood`."""
    for_doubt: ClassVar[bool] = True
    """Whether it counts for doubt, which is of rows as the model sees them."""
    needs_hidden: ClassVar[bool] = False
    needs_uncertainty: ClassVar[bool] = False

    def init(self, reference: Reference) -> Memory:
        """Return what `score` is to remember; called once."""
        return {}

    def shapes(self, reference: Reference) -> dict[str, tuple[int, ...]]:
        """Return the name and the shape of each array of the memory."""
        return {}

    @abstractmethod
    def score(self, rows: Seen, reference: Reference, memory: Memory) -> Array:
        """Return one finite number per row, (rows,)."""
