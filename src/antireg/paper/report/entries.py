"""One number of a table: mean and spread over seeds, beside the paper's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from antireg.paper.experiments.printed import Printed

MINUS = "\N{MINUS SIGN}"
TWO_SDS = 2.0
ROUNDING = 1e-9


@dataclass(frozen=True)
class Kind:
    """A metric: how its numbers are written and compared.

    Attributes:
        title: Its name on the page.
        ideal: The number closest to it is the best; ±∞ if more, or less, is better.
        digits: Number of decimals.
        scale: Factor applied to the values in the rows.
        tolerance: A difference that counts as agreement, however small the paper's sd.
    """

    title: str
    ideal: float = -math.inf
    digits: int = 2
    scale: float = 1.0
    tolerance: float = 0.0

    def text(self, value: float) -> str:
        """Return a value as text."""
        return number(value, self.digits)

    def badness(self, value: float) -> float:
        """Return how far a value is from the ideal, rounded as it is shown."""
        shown = round(value, self.digits)
        if math.isinf(self.ideal):
            return shown if self.ideal < 0 else -shown
        return round(abs(shown - self.ideal), self.digits)


NLL = Kind("NLL", tolerance=0.1)
ECE = Kind("ECE", ideal=0.0)
MAE = Kind("MAE", ideal=0.0)
AUROC = Kind("AUROC", math.inf, 1, 100.0, tolerance=1.5)
ACCURACY = Kind("accuracy", math.inf, 1, 100.0, tolerance=1.5)
COVERAGE = Kind("95\N{NO-BREAK SPACE}% coverage", 95.0, 1, 100.0)


@dataclass(frozen=True)
class Entry:
    """The number of one method in one column.

    Attributes:
        kind: The metric.
        values: One per seed, scaled.
        printed: The paper's number, if it has one.
        diverged: Number of seeds whose training diverged.
        wanted: Number of seeds planned.
    """

    kind: Kind
    values: Sequence[float]
    printed: Printed | None = None
    diverged: int = 0
    wanted: int = 0

    def __bool__(self) -> bool:
        """Return whether there is any value."""
        return len(self.values) > 0

    @property
    def mean(self) -> float:
        """Mean over seeds."""
        return float(np.mean(self.values))

    @property
    def sd(self) -> float:
        """Standard deviation over seeds, with n − 1; NaN for one seed."""
        return float(np.std(self.values, ddof=1)) if len(self.values) > 1 else math.nan

    @property
    def text(self) -> str:
        """Mean (sd), as in the paper."""
        if not self:
            return "diverged" if self.diverged else "missing"
        return spread(self.mean, self.sd, self.kind.digits)

    @property
    def few(self) -> str:
        """The number of seeds in words, "" if it is as planned."""
        number = len(self.values)
        if not 0 < number < self.wanted:
            return ""
        return f"{number} seed" + "s" * (number > 1)

    @property
    def printed_text(self) -> str:
        """The paper's mean (sd)."""
        return spread(*self.printed, self.kind.digits) if self.printed else ""

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's, in the paper's sds; None if either is missing."""
        if not self or self.printed is None or self.printed.sd == 0:
            return None
        return (self.mean - self.printed.mean) / self.printed.sd

    @property
    def difference_text(self) -> str:
        """The difference, with its sign."""
        if self.difference is None:
            return ""
        return f"{signed(self.difference)}\N{NO-BREAK SPACE}sd"

    @property
    def agrees(self) -> bool | None:
        """Whether ours is within two of the paper's sds, or within the tolerance."""
        if not self or self.printed is None:
            return None
        allowed = max(TWO_SDS * self.printed.sd, self.kind.tolerance)
        return abs(self.mean - self.printed.mean) <= allowed + ROUNDING


def best(entries: dict[str, Entry]) -> set[str]:
    """Return the names of the best entries; numbers shown alike are tied."""
    there = {name: e.kind.badness(e.mean) for name, e in entries.items() if e}
    return {name for name, bad in there.items() if bad == min(there.values())}


def number(value: float, digits: int) -> str:
    """Return a number as readable text: 1.25, 1,250 or 1.2·10⁷."""
    if not math.isfinite(value):
        return str(value)
    if abs(value) >= 1e5:
        power = math.floor(math.log10(abs(value)))
        raised = str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return f"{value / 10**power:.1f}·10{raised}".replace("-", MINUS)
    form = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{digits}f}"
    return form.replace("-", MINUS)


def percent(share: float) -> str:
    """Return a share in whole percent."""
    return f"{100 * share:.0f}\N{NO-BREAK SPACE}%"


def signed(value: float) -> str:
    """Return a number with its sign and one decimal."""
    shown = number(abs(value), 1)
    if float(f"{value:.1f}") == 0:
        return shown
    return f"{'+' if value > 0 else MINUS}{shown}"


def spread(mean: float, sd: float, digits: int) -> str:
    """Return mean (sd), or only the mean if there is one seed."""
    shown = number(mean, digits)
    return shown if math.isnan(sd) else f"{shown} ({number(sd, digits)})"
