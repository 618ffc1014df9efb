"""The time left is judged by fits already done."""

from antireg.methods import DeepEnsemble
from antireg.paper.experiments.plan import Cell
from antireg.paper.experiments.progress import Progress, seconds_left
from antireg.paper.experiments.rows import Book, Value
from antireg.paper.experiments.study import Job
from tests.paper.experiments.small import DE, MOD_LINE, NLL, SMALL

DONE = [Value("validation_loss", 1), Value("ensemble_loss", 1), Value("diverged", 0)]


def test_seconds_come_from_the_recipe_until_a_fit_is_done(tmp_path):
    book = Book(tmp_path)
    cells = [Cell(SMALL, DE, 1), Cell(SMALL, MOD_LINE, 0), Cell(SMALL, MOD_LINE, 1)]
    assert seconds_left(cells, book) == 1 + 5 + 1
    book.add(Job(SMALL, DeepEnsemble(), NLL, 0).key, DONE, 10.0, "v")
    assert seconds_left(cells, book) == 70


def test_the_bar_counts_cells_that_are_done(tmp_path):
    book = Book(tmp_path)
    progress = Progress([Cell(SMALL, DE, 0), Cell(SMALL, DE, 1)], 1, quiet=True)
    book.add(Job(SMALL, DeepEnsemble(), NLL, 0).key, DONE, 10.0, "v")
    progress(book)
    progress.close()
    assert progress.bar.n == 1
