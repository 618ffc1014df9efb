"""The interface of signals, each of which says how unfamiliar a row is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.neighbours import Array, Space
from antireg.familiarity.smallest import Places

Memory = dict[str, Array]
"""What a signal remembers of the references, as named arrays that a file can hold."""

ALL_SCORES = -np.inf
"""As the bound of `Signal.score_above`: every score is wanted."""

DENSITY_NEIGHBOURS = 10
SHORTEST = np.float32(1e-12)
"""Length that inputs are divided by at least."""

COMPARED = 5
"""Of the nearest by inputs, how many are compared in other respects."""

HIDDEN_AXES = 16
"""Along how many axes of it the nearest is searched for: see docs/choices.md."""


@dataclass(frozen=True, eq=False)
class Seen:
    """Rows as one set of members sees them.

    Args:
        inputs: As the network sees them, (rows, columns).
        uncertainty: The members' own uncertainty, above 0, (rows,); None if there is
            only one member, which has none.
        hidden: Inputs of the last layer, all members side by side, (rows, units);
            None if the network has no hidden layer.
    """

    inputs: NDArray[np.floating]
    uncertainty: Array | None
    hidden: NDArray[np.floating] | None = None
    _found: dict[Space, tuple[Array, Places]] = field(
        default_factory=dict, init=False, repr=False
    )

    def near(self, space: Space, rows: NDArray[np.floating]) -> tuple[Array, Places]:
        """Return the result of `Space.near`, computed once.

        Args:
            space: Where to search.
            rows: These rows, in that space.
        """
        if space not in self._found:
            self._found[space] = space.near(rows)
        return self._found[space]


@dataclass(frozen=True, eq=False)
class Reference:
    """Training rows that are kept to compare with, in random order.

    Args:
        inputs: As the network sees them, (references, columns).
        sensitivity: How much the members' answer changes with each input, (columns,).
        hidden: As in `Seen`.
        values: What is known of single columns, (references, columns), if that is not
            the inputs.
    """

    inputs: NDArray[np.floating]
    sensitivity: Array
    hidden: NDArray[np.floating] | None = None
    values: NDArray[np.floating] | None = None

    @cached_property
    def by_inputs(self) -> Space:
        """The references by their inputs."""
        return Space(self.inputs, DENSITY_NEIGHBOURS)

    @cached_property
    def by_effect(self) -> Space:
        """The references by their inputs, each times its sensitivity."""
        return Space(self.weighted(self.inputs), 1)

    def weighted(self, inputs: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return inputs, each times its sensitivity, (rows, columns)."""
        return inputs * self.sensitivity.astype(inputs.dtype)

    @cached_property
    def by_direction(self) -> Space:
        """The references by the direction of their inputs."""
        return Space(self.directions(self.inputs), 1)

    @staticmethod
    def directions(inputs: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return inputs of length one, (rows, columns); those of length 0 stay so."""
        lengths = np.linalg.norm(inputs, axis=1, keepdims=True)
        return np.asarray(inputs / np.maximum(lengths, SHORTEST))

    @cached_property
    def by_hidden(self) -> Space:
        """The references by the inputs of the last layer."""
        if self.hidden is None:
            raise ValueError("hidden must be given to compare rows by it, got None.")
        return Space(self.hidden, 1, HIDDEN_AXES)


class Signal(ABC):
    """How unfamiliar rows are in one respect; higher is less familiar.

    It holds only settings: `init` returns what it learns from the references, and
    `score` gets that back.
    """

    least_scale: ClassVar[float] = 0.05
    """Lower bound of the scale that validation rows give it, in its own unit."""
    for_flag: ClassVar[bool] = True
    """Whether it counts for `is_ood`."""
    for_doubt: ClassVar[bool] = True
    """Whether it counts for doubt."""
    weight: ClassVar[float] = 1.0
    """How much it counts in the sum that `is_ood` goes by."""
    by_agreement: ClassVar[bool] = False
    """Whether it counts the more, the more it agrees with the entropy of a classifier
    of pixels or features: see `joining.agreement`. Only for what doubt does not use.
    """
    needs_uncertainty: ClassVar[bool] = False
    needs_hidden: ClassVar[bool] = False
    only_classes: ClassVar[bool] = False
    """Whether it is for classifiers alone."""
    asks_last: ClassVar[bool] = False
    """Whether its search can be spared by what other signals have found."""

    def usable(self, reference: Reference) -> bool:
        """Return whether these references can be compared with."""
        return True

    def init(self, reference: Reference) -> Memory:
        """Return what `score` needs to remember; called once."""
        return {}

    def shapes(self, reference: Reference) -> dict[str, tuple[int, ...]]:
        """Return the name and shape of each array in the memory."""
        return {}

    @abstractmethod
    def score(self, rows: Seen, reference: Reference, memory: Memory) -> Array:
        """Return one finite number per row, (rows,).

        Args:
            rows: As the members see them.
            reference: The rows to compare with.
            memory: From `init`.
        """

    def score_above(
        self, rows: Seen, reference: Reference, memory: Memory, least: float | Array
    ) -> Array:
        """Return the score where it is above a bound; elsewhere, anything up to that.

        Signals that save time by it fill this in.

        Args:
            rows: As the members see them.
            reference: The rows to compare with.
            memory: From `init`.
            least: The bound, for all rows or each, (rows,).
        """
        return self.score(rows, reference, memory)


class NearestBy(Signal):
    """The logarithm of the distance to the nearest reference,  log(d₁ + φ),  in a
    space that is made of the inputs. φ is that space's floor.
    """

    asks_last = True

    @abstractmethod
    def space(self, reference: Reference) -> Space:
        """Return the references in that space."""

    @abstractmethod
    def placed(self, rows: Seen, reference: Reference) -> NDArray[np.floating]:
        """Return the rows in that space, (rows, columns)."""

    def init(self, reference: Reference) -> Memory:
        """Learn φ."""
        return {"floor": np.array([self.space(reference).floor])}

    def shapes(self, reference: Reference) -> dict[str, tuple[int, ...]]:
        """Return the shape: one number."""
        return {"floor": (1,)}

    def score(self, rows: Seen, reference: Reference, memory: Memory) -> Array:
        """Return log(d₁ + φ), (rows,)."""
        return self.score_above(rows, reference, memory, ALL_SCORES)

    def score_above(
        self, rows: Seen, reference: Reference, memory: Memory, least: float | Array
    ) -> Array:
        """Return the score where it is above a bound.

        References that are near by inputs are not far in other respects: where one of
        them is near enough, no search is needed. A search along axes may miss the
        nearest, so there it is always done, to have the same scores for every question.
        """
        space, floor = self.space(reference), memory["floor"]
        placed = self.placed(rows, reference)
        if space.axes is not None or np.all(least == ALL_SCORES):
            return np.asarray(np.log(rows.near(space, placed)[0][:, 0] + floor))
        _, places = rows.near(reference.by_inputs, rows.inputs)
        scores = np.log(space.nearest_of(placed, places[:, :COMPARED]) + floor)
        left = np.flatnonzero(scores > least)
        if left.size:
            scores[left] = np.log(space.near(placed[left])[0][:, 0] + floor)
        return np.asarray(scores)
