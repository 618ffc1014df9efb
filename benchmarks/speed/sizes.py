"""The four shapes of ensemble and data that speed is measured at."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

LR = 1e-3
THRESHOLD = 100.0
"""Above the loss of random targets, so that DARE's penalty is on at every step."""


class Rows(NamedTuple):
    """Inputs, (rows, features), and targets or classes, (rows,)."""

    x: NDArray[np.float32]
    y: NDArray[Any]


@dataclass(frozen=True)
class Size:
    """One shape of ensemble and data.

    Attributes:
        name: What it is called.
        members: Networks in the ensemble.
        layers: Units of each layer, inputs first, outputs last.
        batch_size: Rows of a step, per member.
        rows: Rows to train on; a tenth as many validate.
        epochs: Passes over them.
        predicted: Rows to predict.
        classes: How many; 0 for a regression, whose outputs are a mean and a noise.
    """

    name: str
    members: int
    layers: tuple[int, ...]
    batch_size: int
    rows: int
    epochs: int
    predicted: int
    classes: int

    @property
    def steps(self) -> int:
        """Training steps of a fit."""
        return self.epochs * -(-self.rows // self.batch_size)

    @property
    def hidden(self) -> tuple[int, ...]:
        """Units of the hidden layers."""
        return self.layers[1:-1]

    @property
    def flops(self) -> int:
        """Multiplications and additions of a fit's steps; what validates not counted.

        As usual, a backward pass counts twice a forward one.
        """
        return self.members * self.rows * self.epochs * 6 * sum(self._products)

    @property
    def needed_flops(self) -> int:
        """Those without the gradient of the inputs, which nobody needs."""
        unused = self.members * self.rows * self.epochs * 2 * self._products[0]
        return self.flops - unused

    @property
    def _products(self) -> list[int]:
        return [n_in * n_out for n_in, n_out in pairwise(self.layers)]

    def draw(self, n_rows: int, seed: int) -> Rows:
        """Return random rows: how long a step takes does not depend on what is in."""
        rng = np.random.default_rng(seed)
        x = rng.random((n_rows, self.layers[0]), dtype=np.float32)
        if self.classes:
            return Rows(x, rng.permutation(np.arange(n_rows) % self.classes))
        return Rows(x, rng.standard_normal(n_rows, dtype=np.float32))


SIZES = (
    Size("two-moons", 20, (2, 100, 100, 100, 1), 32, 960, 8, 100_000, 2),
    Size("cifar-features", 5, (64, 100, 100, 100, 10), 128, 6_400, 12, 1_000_000, 10),
    Size("fashion-mnist", 5, (784, 100, 100, 100, 10), 128, 6_400, 24, 50_000, 10),
    Size("citycam", 5, (2048, 100, 100, 100, 2), 128, 3_200, 40, 20_000, 0),
)
