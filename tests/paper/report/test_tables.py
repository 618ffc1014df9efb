import csv
import re

import pytest

from antireg.paper.experiments.rows import Book, Value
from antireg.paper.report.results import Results
from antireg.paper.report.tables import (
    DETECTION,
    GAPS,
    OUTSIDE,
    TABLES,
    clipped_entry,
    entries,
    gaps_cells,
    part_cells,
    table_csv,
)
from tests.paper.report.made_rows import made_book

WEATHER = OUTSIDE.parts[2]


def row_of(results, contender):
    """The cells of a method in the weather shift, one after the other."""
    rows = part_cells(results, WEATHER).rows
    return " ".join(next(row[1:] for row in rows if row[0] == contender))


@pytest.fixture
def known(tmp_path):
    """Weather rows of the deep ensemble, three seeds, with the NLL clipped too."""
    book = Book(tmp_path / "rows")
    made = made_book(tmp_path / "other", "citycam-weather", seeds=3)
    for key in list(made.records("citycam-weather")):
        if key.method == "deep_ensemble":
            values = {"validation_loss": 1.0, "ensemble_loss": 1.0, "diverged": 0.0}
            nll = (2.0, 2.2, 2.4)[key.seed]
            values |= {"after_14h_nll": nll, "after_14h_nll_cut": nll - 0.3}
            values |= {"after_14h_ece": 0.2, "after_14h_mae": 1.5}
            book.add(key, [Value(*pair) for pair in values.items()], 1.0, "v")
    return Results(book)


def test_a_cell_holds_ours_the_papers_the_difference_and_the_clipped(known):
    row = row_of(known, "DE (NLL)")
    words = " ".join(re.sub(r"<[^>]*>", " ", row).split())
    assert words == (
        "2.20 (0.20) paper 2.25 (0.09) −0.6 sd "
        "clipped 1.90 (0.20) −3.9 sd 3 seeds "
        "0.20 (0.00) paper 0.12 (0.02) +4.0 sd 3 seeds 1.50 (0.00)"
    )
    assert row.count('class="far"') == 2  # the clipped NLL and the ECE, not the NLL
    assert row.count("<strong>2.20") == 1  # the only one there, so the best


def test_missing_cells_say_so_and_keep_the_papers_number(known):
    row = row_of(known, "DARE")
    assert row.count("missing") == 3
    assert "2.33 (0.13)" in row
    assert "nan" not in str(part_cells(known, WEATHER))


def test_the_papers_best_is_bold_too(known):
    assert "<strong>" in row_of(known, "RDE").split("2.22 (0.14)")[0]


def test_clipping_that_changes_nothing_is_not_shown(known, full):
    column = WEATHER.columns[0]
    assert clipped_entry(known, WEATHER, column, "DE (NLL)").mean == pytest.approx(1.9)
    assert clipped_entry(known, WEATHER, column, "DE (NLL)").few == "3 seeds"
    assert clipped_entry(full, WEATHER, column, "DE (NLL)") is None
    assert clipped_entry(known, WEATHER, WEATHER.columns[1], "DE (NLL)") is None
    assert "clipped" not in str(part_cells(full, WEATHER))


def test_csv_has_every_number_once_with_the_papers_beside_it(known, full):
    rows = list(csv.DictReader(table_csv(known, OUTSIDE).splitlines()))
    first = next(r for r in rows if r["metric"] == "after_14h_nll")
    assert first == {
        "task": "citycam-weather",
        "method": "DE (NLL)",
        "metric": "after_14h_nll",
        "seeds": "3",
        "mean": "2.2",
        "sd": "0.2",
        "paper_mean": "2.25",
        "paper_sd": "0.09",
        "difference_in_paper_sd": "-0.56",
    }
    # Tasks, columns, methods; two methods on the same cameras; and the one clipped.
    assert len(rows) == 3 * 3 * 6 + 3 * 2 + 1
    for table in TABLES:
        found = list(csv.DictReader(table_csv(full, table).splitlines()))
        assert {row["seeds"] for row in found} == {"5"}


def test_detection_has_seven_methods_and_all_of_the_papers_columns(full):
    for part in DETECTION.parts:
        for column in part.columns:
            found = entries(full, part, column)
            assert len(found) == 7
            assert all(e.printed and 50 < e.mean < 100 for e in found.values())


def test_gaps_show_only_data_sets_with_rows(full, tmp_path):
    assert len(gaps_cells(full).rows) == 3 * len(GAPS.parts)
    some = Results(made_book(tmp_path, "uci-gap-yacht", seeds=2))
    names = [row[0] for row in gaps_cells(some).rows]
    assert len(names) == 3
    assert names[-1] == "yacht, DARE"
