"""The tables of doubt mark what is reached, and what is missing."""

import csv
import re

import pytest

from antireg.paper.report.doubt import cells, goals
from antireg.paper.report.doubt.goals import Goal, Part
from antireg.paper.report.doubt.measured import DE, Found


def a_part(with_doubt, others=0.5):
    def measure(results, who):
        value = with_doubt if (who.contender, who.prefix) == (DE, "") else others
        return Found(value, 5, 5)

    return Part("task", (Goal("AUROC", measure, 0.9, True),))


def test_the_default_is_bold_where_it_is_reached_and_marked_where_it_is_not(empty):
    (row,) = cells.part_cells(empty, a_part(0.95)).rows
    assert row[0] == "AUROC<small>wanted ≥ 0.90</small>"
    assert row[1:] == [
        *("0.50", "0.50"),
        "<strong>0.95</strong><small>yes</small>",
        "0.50",
    ]
    (row,) = cells.part_cells(empty, a_part(0.85)).rows
    assert row[3] == '<span class="far">0.85</span><small>no</small>'


def test_goals_are_counted(empty):
    parts = [a_part(0.95), a_part(0.85), a_part(None)]
    assert cells.counted(empty, parts) == (1, 1, 1)


def test_the_better_base_is_counted_where_both_are_there(empty):
    assert cells.better_base(empty, [a_part(0.95), a_part(0.4), a_part(0.5)]) == (1, 1)
    assert cells.better_base(empty, [a_part(0.95, None)]) == (0, 0)


def test_missing_rows_are_said_to_be_missing(empty):
    lines = cells.markdown(empty).splitlines()
    assert all(line.count(" missing |") == 4 for line in lines[2:-2])
    assert cells.gaps_cells(empty).rows == []
    assert lines[-1] == "Of 28 goals, 0 are reached"


@pytest.mark.parametrize(("short", "n_goals"), [(True, 17), (False, 28)])
def test_the_table_of_goals_has_one_line_for_each(full, short, n_goals):
    *lines, _, said = cells.markdown(full, short).splitlines()
    assert len(lines) == 2 + n_goals
    assert len({line.count("|") for line in lines}) == 1
    assert "missing" not in "".join(line for line in lines if "coverage" not in line)
    assert sum(line.startswith("| **") for line in lines) == 4 + 2 + 1 + 1
    reached = sum(line.count("**") // 2 for line in lines) - 8
    assert said == f"Of 28 goals, {cells.counted(full, shown())[0]} are reached"
    assert reached == sum(
        goal.reached(full) == "yes"
        for part in shown()
        for goal in part.goals
        if goal.is_headline or not short
    )


def shown() -> list[goals.Part]:
    """Return what is not by the paper's recipe."""
    groups = cells.groups().items()
    return [part for name, parts in groups if "raw" not in name for part in parts]


def test_the_csv_has_every_number_of_every_goal(full):
    rows = list(csv.DictReader(cells.goals_csv(full).splitlines()))
    n_goals = sum(len(p.goals) for parts in cells.groups().values() for p in parts)
    n_goals += sum(len(part.goals) for part in goals.hours())
    assert len(rows) == 4 * n_goals
    assert {row["of"] for row in rows} == {"5", "45"}
    said = [row["reached"] for row in rows if row["reached"]]
    assert all(re.fullmatch("yes|no|missing", word) for word in said)


def test_every_table_and_every_set_has_a_line(full):
    assert len(cells.detection_cells(full).rows) == 9
    assert len(cells.covered_cells(full).rows) == 9
    assert len(cells.gaps_cells(full).rows) == 9
    assert len(cells.detection_cells(full).header) == 1 + 4 + 5
