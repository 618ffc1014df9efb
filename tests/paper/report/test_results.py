import numpy as np
import pytest

from antireg.methods import DARE, DeepEnsemble
from antireg.paper.experiments.recipes import REGRESSION, WEATHER
from antireg.paper.experiments.rows import Book, Value
from antireg.paper.experiments.study import Job
from antireg.paper.report.entries import AUROC, NLL
from antireg.paper.report.results import Results, points
from tests.paper.report.made_rows import made_book


def added(folder, method, seed, **values):
    book = Book(folder / "rows")
    job = Job(WEATHER, method, "gaussian_nll", seed)
    found = [Value(name, value) for name, value in values.items()]
    book.add(job.key, found, 2.0, "v")
    return Results(book)


def test_entry_holds_the_seeds_that_are_there_and_the_papers_number(tmp_path):
    for seed, value in enumerate((2.0, 2.5)):
        results = added(
            tmp_path, DeepEnsemble(), seed, after_14h_nll=value, validation_loss=1.0,
            ensemble_loss=1.0, diverged=0.0,
        )  # fmt: skip
    entry = results.entry("citycam-weather", "DE (NLL)", "after_14h_nll", NLL)
    assert list(entry.values) == [2.0, 2.5]
    assert entry.printed == (2.25, 0.09)
    assert not results.entry("citycam-weather", "DARE", "after_14h_nll", NLL)
    assert not results.entry("citycam-weather", "DE (NLL)", "after_14h_ece", NLL)


def test_dare_is_found_by_the_threshold_its_reference_sets(tmp_path):
    fit = {"validation_loss": 1.2, "ensemble_loss": 1.0, "diverged": 0.0}
    added(tmp_path, DeepEnsemble(), 0, **fit)
    results = added(tmp_path, DARE(threshold=1.5), 0, after_14h_nll=2.1, **fit)
    line = results.line("citycam-weather", "DARE")
    assert line.settings == "delta 0.25, threshold 1.5"  # 1.2 and a quarter more
    assert list(line.records) == [0]
    assert results.record("citycam-weather", "DARE")["after_14h_nll"] == 2.1
    assert results.record("citycam-weather", "DARE", seed=1) is None
    assert (line.done, line.wanted) == (1, 5)


def test_a_fit_that_diverged_is_told_from_one_that_is_missing(tmp_path):
    results = added(tmp_path, DeepEnsemble(), 0, diverged=1.0)
    line = results.line("citycam-weather", "DE (NLL)")
    assert line.diverged == [0]
    assert results.entry("citycam-weather", "DE (NLL)", "x", NLL).text == "diverged"
    assert results.entry("citycam-weather", "MOD", "x", NLL).text == "missing"


def test_shares_become_percent(tmp_path):
    results = Results(made_book(tmp_path, "two-moons"))
    entry = results.entry("two-moons", "DARE", "false_alarms", AUROC)
    assert list(entry.values) == pytest.approx([5.0])
    assert entry.printed is None
    places, values = points(results.record("two-moons", "DARE"), "inside_mean")
    assert places[:2] == ["1:0", "1:1"]
    assert np.array_equal(values, np.linspace(1, 0, 30))


def test_every_line_of_a_complete_study_has_five_seeds(full):
    (study,) = full.studies("citycam-weather")
    lines = full.lines(study)
    assert [line.contender for line in lines] == list(REGRESSION)
    assert {len(line.records) for line in lines} == {5}
    assert lines[0].settings == ""
    assert "threshold" in lines[-1].settings
    assert " to " in lines[-1].settings


def test_fits_count_each_recorded_one_once(full):
    citycam = full.studies("citycam", "delta")
    recipes = {study.recipe.name for study in citycam}
    keys = [key for recipe in recipes for key in full.book.records(recipe)]
    assert len(list(full.fits(citycam))) == len(keys)
