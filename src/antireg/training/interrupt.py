"""Lets Ctrl-C end a training and keep its model."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any, Self

from antireg.history import Epoch


class StopOnInterrupt:
    """A callback that stops after the epoch in which Ctrl-C was pressed.

    The members are then kept by their method's rule, as if no more epochs had been
    planned. A second Ctrl-C interrupts at once, as usual.

        with StopOnInterrupt() as stop:
            model = EnsembleRegressor(callbacks=[stop]).fit(X, y)
    """

    def __init__(self) -> None:
        """Change nothing about Ctrl-C outside `with`."""
        self.asked = False
        self.before: Any = None

    def __enter__(self) -> Self:
        """Take over Ctrl-C."""
        self.before = signal.signal(signal.SIGINT, self._ask)
        return self

    def __exit__(self, *error: object) -> None:
        """Give Ctrl-C back."""
        signal.signal(signal.SIGINT, self.before)

    def __call__(self, epoch: Epoch) -> bool:
        """Return whether to stop."""
        return self.asked

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, self.before)
