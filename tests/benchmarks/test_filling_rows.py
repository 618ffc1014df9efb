"""The cost of draws around trained members: all trainings, whoever did them."""

from pathlib import Path

import pytest
from benchmarks.filling_rows import cost, fits_of, mean, outside, over

from antireg.paper.experiments.rows import Book, Key, Value

LIKELIHOOD, SQUARED = "gaussian_nll", "squared_error"


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(tmp_path)


def add(
    book: Book,
    method: str,
    seconds: float,
    trained: float,
    seed: int = 0,
    loss: str = LIKELIHOOD,
) -> None:
    """Add a fit: its processor time, and that of its trainings by the clock."""
    key = Key("small", method, loss, "delta=0.25", seed)
    book.add(key, [Value("trained_seconds", trained)], seconds, "made up")


def cost_of(book: Book, method: str, is_whole: bool = True) -> str:
    return cost(book, "small", fits_of(book, "small", method), is_whole)


def test_a_deep_ensemble_is_the_unit(book: Book) -> None:
    add(book, "deep_ensemble", 40, 41)
    assert cost_of(book, "deep_ensemble") == "1.00"


def test_a_deep_ensemble_that_was_read_counts_as_trained(book: Book) -> None:
    add(book, "deep_ensemble", 40, 100)
    add(book, "water_filling", 4, 110)
    assert cost_of(book, "water_filling") == "1.10"


def test_one_that_a_fit_trained_itself_counts_once(book: Book) -> None:
    add(book, "deep_ensemble", 40, 100)
    add(book, "water_filling", 44, 46)
    assert cost_of(book, "water_filling") == "1.10"


def test_so_it_does_on_a_busy_machine(book: Book) -> None:
    add(book, "deep_ensemble", 40, 40)
    add(book, "water_filling", 44, 80)  # 36 of waiting are not a training of 40
    assert cost_of(book, "water_filling") == "1.10"


def test_one_that_was_read_counts_even_if_what_follows_takes_longer(book: Book) -> None:
    add(book, "deep_ensemble", 40, 40)
    add(book, "max_w_ent", 50, 91)
    assert cost_of(book, "max_w_ent") == "2.25"


def test_with_another_loss_there_is_none_to_read(book: Book) -> None:
    add(book, "deep_ensemble", 40, 40)
    add(book, "dare", 38, 100, loss=SQUARED)
    assert cost_of(book, "dare") == "0.95"


def test_in_the_papers_recipes_a_reference_of_the_same_loss_is_added(
    book: Book,
) -> None:
    add(book, "deep_ensemble", 40, 40)
    add(book, "deep_ensemble", 20, 20, loss=SQUARED)
    add(book, "dare", 50, 50, loss=SQUARED)
    assert cost_of(book, "dare", is_whole=False) == "1.75"


def test_the_median_over_seeds_is_taken_of_those_with_a_deep_ensemble(
    book: Book,
) -> None:
    for seed, seconds in enumerate((4, 8, 36)):
        add(book, "deep_ensemble", 40, 40, seed)
        add(book, "water_filling", seconds, 40 + seconds, seed)
    add(book, "water_filling", 1, 41, seed=3)
    assert cost_of(book, "water_filling") == "1.20"
    book.add(Key("alone", "max_w_ent", LIKELIHOOD, "", 0), [], 1, "made up")
    assert cost(book, "alone", fits_of(book, "alone", "max_w_ent"), True) == ""


def test_a_difference_is_of_the_seeds_that_both_have(book: Book) -> None:
    values = {"deep_ensemble": {0: 1.0, 1: 5.0}, "max_w_ent": {0: 1.25, 2: 9.0}}
    for method, by_seed in values.items():
        for seed, value in by_seed.items():
            key = Key("small", method, LIKELIHOOD, "", seed)
            book.add(key, [Value("test_nll", value)], 1, "made up")
    ensembles, noisy = (fits_of(book, "small", method) for method in values)
    assert mean(noisy, "test_nll") == 5.125
    assert over(noisy, ensembles, "test_nll") == "+0.25"
    assert over(ensembles, ensembles, "test_nll") == ""
    assert over({2: noisy[2]}, ensembles, "test_nll") == ""


def test_rows_outside_are_named_by_what_tells_them_apart(book: Book) -> None:
    metrics = ("b_auroc", "a_auroc", "a_epistemic_auroc", "plain_a_auroc", "test_nll")
    key = Key("small", "water_filling", LIKELIHOOD, "", 0)
    book.add(key, [Value(metric, 0.5) for metric in metrics], 1, "made up")
    assert outside(fits_of(book, "small", "water_filling")) == ["a", "b"]
