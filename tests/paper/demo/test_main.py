import csv
from dataclasses import replace

import pytest

from antireg.paper.demo.__main__ import numbers_csv, train, write
from antireg.paper.demo.story import STORIES, html
from antireg.paper.experiments.rows import Record
from tests.paper.demo.small import SEED, small_cells


@pytest.fixture
def folder(outcomes, tmp_path):
    write(tmp_path, outcomes, SEED, tmp_path / "picture.svg")
    return tmp_path


def test_files_are_written_under_their_final_name_only(folder):
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["index.html", "numbers.csv", "picture.svg"]


def test_the_csv_holds_every_number_of_the_page(folder, outcomes):
    rows = list(csv.DictReader((folder / "numbers.csv").read_text().splitlines()))
    assert {row["seed"] for row in rows} == {str(SEED)}
    found = {(row["problem"], row["method"], row["metric"]): row for row in rows}
    assert len(found) == len(rows) == len(outcomes) * 4
    for outcome in outcomes:
        for column in STORIES[outcome.problem].columns:
            row = found[outcome.problem, outcome.method, column.name]
            shown = pytest.approx(outcome.record[column.name], rel=1e-5)
            assert float(row["value"]) == shown


def test_a_page_that_cannot_be_made_leaves_the_last_one_alone(folder, outcomes):
    before = {path: path.read_bytes() for path in folder.iterdir()}
    nothing_to_draw = replace(outcomes[-1], record=Record({}, 0.0, ""))
    with pytest.raises(KeyError):
        write(folder, [*outcomes[:-1], nothing_to_draw], seed=4)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_outcomes_come_in_the_order_of_the_page(outcomes):
    alone = [o for o in outcomes if o.problem == "one-dimensional"]
    together = train(small_cells("one-dimensional"))
    assert numbers_csv(together, SEED) == numbers_csv(alone, SEED)
    assert html(together, SEED) == html(alone, SEED)
