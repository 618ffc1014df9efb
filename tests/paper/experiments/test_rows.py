"""Rows are added whole, by any number of writers, and read back to the bit."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import pytest

from antireg.paper.experiments.rows import COLUMNS, Book, Key, Value

KEY = Key("small", "mod", "gaussian_nll", "strength=0.1", 3)


def test_numbers_come_back_to_the_last_bit(tmp_path):
    Book(tmp_path).add(KEY, [Value("nll", 0.1 + 0.2), Value("ece", 1 / 3)], 1.25, "v")
    record = Book(tmp_path).get(KEY)
    assert (record["nll"], record["ece"]) == (0.1 + 0.2, 1 / 3)
    assert (record.seconds, record.versions) == (1.2, "v")


def test_values_along_places_keep_their_order(tmp_path):
    values = [Value("loss", 3.0, "10"), Value("loss", 2.0, "2"), Value("nll", 1.0)]
    Book(tmp_path).add(KEY, values, 1.0, "v")
    assert list(Book(tmp_path).get(KEY).along("loss").items()) == [
        ("10", 3.0),
        ("2", 2.0),
    ]


def test_a_fit_is_recorded_once(tmp_path):
    Book(tmp_path).add(KEY, [Value("nll", 1.0)], 1.0, "v")
    Book(tmp_path).add(KEY, [Value("nll", 2.0)], 1.0, "v")
    assert Book(tmp_path).get(KEY)["nll"] == 1.0
    assert len((tmp_path / "small.csv").read_text().splitlines()) == 2


def test_a_book_sees_what_others_add(tmp_path):
    book = Book(tmp_path)
    assert book.get(KEY) is None
    Book(tmp_path).add(KEY, [Value("nll", 1.0)], 1.0, "v")
    assert book.get(KEY)["nll"] == 1.0


def _add(folder, seed):
    values = [Value(f"metric{i}", i) for i in range(20)]
    Book(folder).add(KEY._replace(seed=seed), values, 1.0, "v")


def test_writers_at_the_same_time_lose_nothing(tmp_path):
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(4, mp_context=context) as pool:
        list(pool.map(_add, [tmp_path] * 40, range(40)))
    records = Book(tmp_path).records("small")
    assert sorted(key.seed for key in records) == list(range(40))
    assert all(len(record.values) == 20 for record in records.values())


def test_a_file_of_other_columns_is_refused(tmp_path):
    (tmp_path / "small.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"small.csv must have the columns .*got a, b"):
        Book(tmp_path).get(KEY)


def test_columns_are_those_readers_rely_on():
    assert COLUMNS == (
        "recipe",
        "method",
        "loss",
        "choice",
        "seed",
        "metric",
        "at",
        "value",
        "seconds",
        "versions",
    )


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda text: text[:-2], "unexpected end of data"),
        (lambda text: text[:-20], "it must have 10 cells"),
        (lambda text: text.replace("2.0", "two"), "could not convert"),
        (lambda text: text + "<<<<<<< HEAD\n", "it must have 10 cells"),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(tmp_path, damage, why):
    path = tmp_path / "small.csv"
    Book(tmp_path).add(KEY, [Value("nll", 1.0), Value("ece", 2.0)], 1.0, "a 1, b 2")
    path.write_text(damage(path.read_text()))
    before = path.read_bytes()
    with pytest.raises(ValueError, match=rf"small.csv must .*line [34] .*{why}"):
        Book(tmp_path).add(KEY._replace(seed=4), [Value("nll", 1.0)], 1.0, "v")
    assert path.read_bytes() == before
