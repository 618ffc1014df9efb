"""How far a run has come, over the whole plan, and how long it will take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tqdm.auto import tqdm

from antireg.paper.experiments.plan import Cell, next_job
from antireg.paper.experiments.rows import Book

EXPECTED_FITS = {True: 5.0, False: 1.0}
"""Expected fits of a cell whose settings are searched for, and of any other."""


class Progress:
    """A bar over the cells of a plan that also estimates the minutes left."""

    def __init__(self, cells: Sequence[Cell], n_jobs: int, quiet: bool) -> None:
        """Show nothing yet."""
        self.cells, self.n_jobs = cells, n_jobs
        self.bar: Any = tqdm(total=len(cells), unit="run", disable=quiet or None)

    def __call__(self, book: Book) -> None:
        """Look at the rows and move the bar."""
        left = [cell for cell in self.cells if next_job(cell, book) is not None]
        self.bar.n = len(self.cells) - len(left)
        minutes = seconds_left(left, book) / self.n_jobs / 60
        self.bar.set_postfix_str(f"about {minutes:.0f} min left")

    def close(self) -> None:
        """Leave the bar on the screen."""
        self.bar.close()


def seconds_left(left: Sequence[Cell], book: Book) -> float:
    """Estimate the time that the cells will take, from the fits already done."""
    total = 0.0
    for cell in left:
        done = [record.seconds for record in book.records(cell.recipe.name).values()]
        each = sum(done) / len(done) if done else cell.recipe.cost
        total += each * EXPECTED_FITS[cell.contender.searched and cell.seed == 0]
    return total
