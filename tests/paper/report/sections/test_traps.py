import re

import pytest

from antireg.paper.experiments.rows import Book, Value
from antireg.paper.report.results import Results
from antireg.paper.report.sections.traps import traps
from tests.paper.report.made_rows import made_book


def words(html):
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


@pytest.fixture
def validated(tmp_path):
    """Validation losses of 0.4 on unseen pictures, and of 0.1 on seen ones."""
    made = made_book(tmp_path / "made", "cifar10", "cifar10-seen", seeds=1)
    book = Book(tmp_path / "rows")
    for recipe, loss in (("cifar10", 0.4), ("cifar10-seen", 0.1)):
        for key, record in made.records(recipe).items():
            values = {**record.values, ("validation_loss", ""): loss}
            values["last_control", ""] = 1.0
            rows = [Value(metric, v, at) for (metric, at), v in values.items()]
            tau = f"threshold={1.25 * loss!r} delta=0.25"
            same = key._replace(choice=tau if key.method == "dare" else key.choice)
            book.add(same, rows, 1.0, "v")
    return Results(book)


def test_the_columns_as_printed_and_swapped_are_shown(full):
    text = words(traps(full))
    # Made-up rows are near the paper's, so they fit its columns as printed.
    found = re.search(r"closer for (\d) of 7 methods in sds, and for (\d)", text)
    assert int(found[1]) <= 1
    assert int(found[2]) <= 1


def test_both_ways_to_validate_are_shown(validated):
    text = words(traps(validated))
    assert "1000 of the 10,000 test pictures" in text
    assert "validation loss, DE (MSE) 0.400 0.100" in text
    assert "DARE: τ 0.500 0.125" in text
    assert "Neither is as it should be. λ is still on for all batches" in text
    assert "Seen pictures make the validation loss 4.0 times smaller" in text


def test_the_control_is_judged_only_when_both_ways_are_there(tmp_path):
    results = Results(made_book(tmp_path, "cifar10", seeds=1))
    for record in results.book.records("cifar10").values():
        record.values["last_control", ""] = 1.0
    assert "Neither is" not in words(traps(results))


def test_without_rows_nothing_is_claimed(empty):
    text = words(traps(empty))
    assert "No rows yet." in text
    assert "times smaller" not in text
    assert "still on" not in text
    assert text.count("missing") == 14
