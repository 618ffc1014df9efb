import re

import pytest

from antireg.paper.report.results import Results
from antireg.paper.report.sections.ending import duration, made, missing, short
from antireg.paper.report.sections.findings import agreement
from tests.paper.report.made_rows import made_book


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (89, "89 s"), (600, "10 min"), (5399, "90 min"), (7200, "2.0 h")],
)
def test_times_are_said_as_people_do(seconds, words):
    assert duration(seconds) == words


def test_time_is_the_sum_of_all_fits(full, tmp_path):
    some = Results(made_book(tmp_path, "toys"))  # eight fits of 90 s
    assert "<td>toys</td><td>8</td><td>12 min</td>" in made(some)
    assert "<td>all</td><td>8</td><td>12 min</td>" in made(some)
    assert "Versions: antireg 0, torch 0." in made(some)
    rows = re.findall(r"<td>([\w-]+)</td><td>(\d+)</td><td>", made(full))
    counts = {name: int(number) for name, number in rows}
    assert counts.pop("all") == sum(counts.values())


def test_what_is_missing_is_counted(full, empty, tmp_path):
    assert "Nothing: every fit of the plan is in the rows." in missing(full)
    assert "<td>cifar10</td><td>0 of 35</td>" in missing(empty)
    some = Results(made_book(tmp_path, "fashion-mnist", seeds=1))
    assert "<td>fashion-mnist</td><td>7 of 35</td>" in missing(some)


def test_the_first_lines_are_worked_out(full, empty):
    assert re.search(r"DARE is the best in \d of 3 CityCam shifts by NLL", short(full))
    assert "missing" not in short(full)
    agree = re.search(r"(\d+) agree,\s(\d+) do not", agreement(full))
    total = int(agree[1]) + int(agree[2])
    assert f"agree with the paper in {agree[1]} of {total} numbers" in short(full)
    assert "runs are still missing" in short(empty)
    assert "No rows yet" in made(empty)
