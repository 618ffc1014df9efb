"""Tables of docs/water_filling.md show what there are rows of, and nothing else."""

from pathlib import Path

from benchmarks.filling_table import NONE_YET, convolutions, doubt, heads, methods

from antireg.paper.experiments.rows import Book, Key, Value


def add(book: Book, recipe: str, method: str, **values: float) -> None:
    key = Key(recipe, method, "gaussian_nll", "", 0)
    found = [Value(metric, value) for metric, value in values.items()]
    book.add(key, found, 10, "made up")


def lines(table: str) -> list[list[str]]:
    """Return the cells of a table, below its columns."""
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


def test_without_rows_a_table_is_a_sentence(tmp_path: Path) -> None:
    assert {make(Book(tmp_path)) for make in (methods, heads, doubt)} == {NONE_YET}


def test_a_task_is_shown_once_it_has_draws(tmp_path: Path) -> None:
    book = Book(tmp_path)
    outside = {"other_cameras_auroc": 0.5, "other_cameras_nll": 9.0}
    for method in ("deep_ensemble", "dare"):
        add(book, "citycam-same-cameras", method, test_nll=1.0, **outside)
    assert methods(book) == NONE_YET
    outside = {"other_cameras_auroc": 0.75, "other_cameras_nll": 5.0}
    add(book, "filling-same-cameras", "water_filling", test_nll=1.5, **outside)
    ensemble, drawn = lines(methods(book))
    assert ensemble[:2] == ["CityCam same-cameras", "DE"]
    assert drawn[1:5] == ["WaterFilling", "1", "1.50", "+0.50"]
    assert drawn[5:7] == ["5.00", "0.75"]


def test_draws_with_doubt_are_beside_deep_ensembles_with_doubt(tmp_path: Path) -> None:
    book = Book(tmp_path)
    values = {
        "test_nll": 1.0,
        "bigbus_auroc": 0.75,
        "bigbus_nll": 2.0,
        "bigbus_ece": 0.25,
        "plain_bigbus_auroc": 0.5,
    }
    add(book, "doubt-bigbus", "deep_ensemble", **values)
    add(book, "doubt-weather", "deep_ensemble", **values)
    add(book, "doubt-filling-bigbus", "water_filling", **{**values, "test_nll": 1.25})
    ensemble, drawn = lines(doubt(book))
    assert ensemble[1:4] == ["deep ensemble", "1", "1.00"]
    assert drawn[:5] == ["CityCam bigbus", "WaterFilling", "1", "1.25", "+0.25"]
    assert drawn[5:] == ["2.00 / 0.25", "0.75"]


def test_ways_to_vary_a_network_are_means_over_seeds(tmp_path: Path) -> None:
    path = tmp_path / "convolutions.csv"
    path.write_text(
        "seed,drawn,metric,value\n"
        "0,none,accuracy,0.5\n"
        "1,none,accuracy,0.75\n"
        "0,none,mnist auroc by entropy,0.25\n"
        "1,none,mnist auroc by entropy,0.75\n"
        "0,none,cifar10 auroc by doubt,1.0\n"
    )
    (line,) = lines(convolutions(path))
    assert line == ["nothing: one network", "2", "0.625", "0.500", "", "1.000"]
