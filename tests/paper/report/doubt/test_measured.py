"""Means over seeds and tables, and how much of them is there."""

import pytest

from antireg.paper.experiments.plan import cells, next_job
from antireg.paper.experiments.recipes import named
from antireg.paper.experiments.rows import Book, Value
from antireg.paper.report.doubt.measured import (
    COLUMNS,
    PLAIN_DE,
    WITH_DOUBT,
    Found,
    least_covered,
    mean,
    over_deep_ensemble,
    over_tables,
)
from antireg.paper.report.results import Results

STUDY = "doubt-weather"


@pytest.fixture
def results(tmp_path) -> Results:
    """Two seeds of weather: with doubt 2 and 4, without it 3 and 7."""
    book = Book(tmp_path)
    for cell in cells(named([STUDY]), 2, ["deep_ensemble"]):
        values = [
            Value("diverged", 0.0),
            Value("validation_loss", 0.0),
            Value("ensemble_loss", 0.0),
            Value("test_nll", 2.0 + 2 * cell.seed),
            Value("plain_test_nll", 3.0 + 4 * cell.seed),
        ]
        job = next_job(cell, book)
        assert job is not None
        book.add(job.key, values, 1.0, "")
    return Results(book)


def test_the_mean_is_over_the_seeds_that_are_there(results):
    assert mean(STUDY, "test_nll")(results, WITH_DOUBT) == Found(3.0, 2, 5)
    assert mean(STUDY, "test_nll")(results, PLAIN_DE) == Found(5.0, 2, 5)
    assert mean(STUDY, "test_nll")(results, COLUMNS[3]) == Found(None, 0, 5)


def test_differences_are_to_the_deep_ensemble_of_the_same_seed(results):
    measure = over_deep_ensemble(STUDY, "test_nll")
    assert measure(results, WITH_DOUBT).value == pytest.approx(-2.0)  # (2−3 + 4−7) / 2
    assert measure(results, PLAIN_DE).value == 0.0


def test_tables_are_joined_and_their_fits_counted(results):
    def there(*_):
        return Found(1.0, 5, 5)

    worst = over_tables([mean(STUDY, "test_nll"), there], max)(results, WITH_DOUBT)
    assert worst == Found(3.0, 7, 10)
    assert not worst.is_whole
    assert over_tables([there, there], sum)(results, WITH_DOUBT).is_whole


def test_coverage_counts_only_where_the_shift_is_noticed(results):
    def always(value):
        return lambda *_: Found(value, 5, 5)

    noticed = [always(0.95), always(0.5), always(0.9)]
    covered = [always(0.7), always(0.1), always(0.6)]
    assert least_covered(noticed, covered, 0.9)(results, WITH_DOUBT).value == 0.6
    nowhere = least_covered(noticed[1:2], covered[1:2], 0.9)
    assert nowhere(results, WITH_DOUBT).value is None


def test_numbers_are_shown_without_a_negative_zero():
    assert Found(-0.001, 1, 1).text(2) == "0.00"
    assert Found(-0.02, 1, 1).text(2) == "\N{MINUS SIGN}0.02"
    assert Found(None, 0, 1).text(2) == "missing"
