"""The rows say what comes next, and what a search has chosen."""

import pytest

from antireg.methods import DARE, MOD, DeepEnsemble
from antireg.methods.mod import STRENGTHS
from antireg.paper.experiments.plan import Cell, cells, chosen, jobs, next_job
from antireg.paper.experiments.rows import Book, Value
from antireg.paper.experiments.study import Job
from tests.paper.experiments.small import DARE_LINE, DE, MOD_LINE, NLL, SMALL, STUDY


def record(book, method, seed=0, loss=1.0, ensemble=1.0, diverged=0.0):
    values = [
        Value("validation_loss", loss),
        Value("ensemble_loss", ensemble),
        Value("diverged", diverged),
    ]
    book.add(Job(SMALL, method, NLL, seed).key, values, 1.0, "v")


@pytest.fixture
def book(tmp_path):
    return Book(tmp_path)


def test_a_deep_ensemble_is_one_fit(book):
    cell = Cell(SMALL, DE, 0)
    assert next_job(cell, book).method == DeepEnsemble()
    assert chosen(cell, book) is None
    record(book, DeepEnsemble())
    assert next_job(cell, book) is None
    assert chosen(cell, book)[1]["validation_loss"] == 1.0


def test_dare_takes_its_threshold_from_the_recorded_reference(book):
    cell = Cell(SMALL, DARE_LINE, 0)
    assert isinstance(next_job(cell, book).method, DeepEnsemble)
    record(book, DeepEnsemble(), loss=-2.0)
    assert next_job(cell, book).method == DARE(threshold=-1.5)  # −2 + ¼·2


def test_a_search_ends_at_the_first_strength_that_is_no_better(book):
    cell = Cell(SMALL, MOD_LINE, 0)
    for strength, loss in zip(STRENGTHS, (3.0, 2.0, 2.5), strict=False):
        assert next_job(cell, book).method == MOD(strength)
        record(book, MOD(strength), ensemble=loss)
    assert next_job(cell, book) is None
    assert chosen(cell, book)[0].method == MOD(STRENGTHS[1])


def test_other_seeds_take_what_the_first_has_chosen(book):
    cell = Cell(SMALL, MOD_LINE, 4)
    for strength, loss in zip(STRENGTHS, (3.0, 2.0, 2.5), strict=False):
        assert next_job(cell, book).seed == 0
        record(book, MOD(strength), ensemble=loss)
    job = next_job(cell, book)
    assert (job.seed, job.method) == (4, MOD(STRENGTHS[1]))
    record(book, job.method, seed=4)
    assert chosen(cell, book)[0].seed == 4


def test_a_candidate_that_diverged_is_passed_over(book):
    cell = Cell(SMALL, MOD_LINE, 0)
    record(book, MOD(STRENGTHS[0]), ensemble=3.0)
    record(book, MOD(STRENGTHS[1]), diverged=1.0, ensemble=9.0)
    assert next_job(cell, book).method == MOD(STRENGTHS[2])


def test_a_method_that_diverged_is_done_but_has_no_number(book):
    record(book, DeepEnsemble(), diverged=1.0)
    cell = Cell(SMALL, DE, 0)
    assert next_job(cell, book) is None
    assert chosen(cell, book) is None


def test_cells_are_every_line_and_seed_of_the_methods_asked_for():
    assert len(cells([STUDY, STUDY], 2)) == 6
    assert [c.contender.name for c in cells([STUDY], 1, ["mod", "dare"])] == [
        "DARE",
        "MOD",
    ]


def test_a_fit_that_two_cells_need_is_one_job(book):
    ready = list(jobs(cells([STUDY], 1, ["deep_ensemble", "dare"]), book))
    assert [job.method for job in ready] == [DeepEnsemble()]
