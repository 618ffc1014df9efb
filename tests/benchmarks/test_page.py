"""The page says what the rows say, and where the default loses first."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.leaderboard import goals as goals_module
from benchmarks.leaderboard import page as page_module
from benchmarks.leaderboard import standing as standing_module
from benchmarks.leaderboard.book import FAILED, RESULTS, Row
from benchmarks.leaderboard.goals import goals
from benchmarks.leaderboard.lists import gaps
from benchmarks.leaderboard.methods.ours import DEFAULT
from benchmarks.leaderboard.page import page
from benchmarks.leaderboard.ranks import Table
from benchmarks.leaderboard.registry import methods, tasks
from benchmarks.leaderboard.sections import (
    duels,
    losses,
    rank_tables,
    unranked_losses,
    values,
)
from benchmarks.leaderboard.standing import standing
from benchmarks.leaderboard.why import why

DOCS = Path(__file__).parents[2] / "docs"
NAMES = [DEFAULT, "deep-ensemble", "ngboost", "neighbours"]
TASKS = ["gap-yacht", "gap-energy", "gap-naval"]


def rows():
    """Return rows in which the default is first outside, and last in AUROC."""
    found = []
    for t, task in enumerate(TASKS):
        for m, method in enumerate(NAMES):
            values = {"auroc": 0.5 + 0.1 * m}
            if method != "neighbours":
                values |= {"nll_out": 1.0 + m, "nll_in": 0.01 * t - 0.02 * m}
                values |= {"fit_seconds": 3.0 if m else 2.0, "predict_seconds": 1.0}
            found += [Row(task, method, 0, name, v) for name, v in values.items()]
    return found


@pytest.fixture
def now(monkeypatch):
    monkeypatch.setattr(standing_module, "FEWEST", 2)
    return stands(rows())


def stands(some):
    """Return how things stand by some rows, where there are no other tasks."""
    ours = {name: task for name, task in tasks().items() if name in TASKS}
    return standing(Table(some), methods(), ours, classes=False)


def with_values(measure, method, values):
    """Return the rows with other values of a measure, in the order of the tasks."""
    new = [
        Row(task, method, 0, measure, value)
        for task, value in zip(TASKS, values, strict=True)
    ]
    keys = {row[:4] for row in new}
    return [*(row for row in rows() if row[:4] not in keys), *new]


def test_where_the_default_loses_is_named_with_whom_and_by_how_much(now):
    header, _, first, second = losses(now).splitlines()
    assert header.startswith("| in | the best is")
    assert first.startswith("| AUROC | 5th neighbour | 1.0 | 4.0 (place 4 of 4) | −0.3")
    assert second.startswith("| NLL inside | NGBoost | 1.0 | 3.0 (place 3 of 3) | +0.0")


def verdicts(text):
    return [line.rsplit(" | ")[-1].strip(" |") for line in text.splitlines()[2:]]


def test_goals_say_whether_they_are_reached(now, monkeypatch):
    monkeypatch.setattr(goals_module, "SEEDS", 1)
    text = goals(now, {name: methods()[name] for name in NAMES})
    assert verdicts(text) == [
        "yes",  # NLL outside
        "not known yet",  # nobody has intervals
        "**no**",  # AUROC
        "yes",  # inside, 0.02 worse
        "yes",  # 3 seconds and not 4
    ]
    assert "+0.020 on average" in text
    assert "nowhere more than 0.03" in text
    assert "0.75 times its processor time in total" in text
    assert "[speed](speed.md)" in text
    assert "4.0 among 4 methods; 5th neighbour has 1.0" in text


@pytest.mark.parametrize(("seconds", "verdict"), [(1.0, "yes"), (4.9, "**no**")])
def test_what_it_costs_is_beside_ngboost(now, monkeypatch, seconds, verdict):
    monkeypatch.setattr(goals_module, "SEEDS", 1)
    now = stands(with_values("fit_seconds", DEFAULT, [seconds] * 3))  # and 1 to predict
    few = {name: methods()[name] for name in NAMES}
    assert verdicts(goals(now, few))[-1] == verdict


def test_what_differs_by_seed_is_not_decided(now, monkeypatch):
    monkeypatch.setattr(goals_module, "SEEDS", 2)
    again = [
        row._replace(seed=1) for row in with_values("fit_seconds", DEFAULT, [9] * 3)
    ]
    now = replace(stands([*rows(), *again]), n_seeds=2)
    few = {name: methods()[name] for name in NAMES}
    text = goals(now, few)
    assert verdicts(text)[-1] == "by some seeds"
    assert "0.75 to 2.50 by seed" in text


def test_tasks_that_are_worse_inside_are_named_the_largest_first(now, monkeypatch):
    monkeypatch.setattr(goals_module, "N_NAMED", 1)
    # The deep ensemble has −0.02, −0.01 and 0.00.
    now = stands(with_values("nll_in", DEFAULT, [0.02, 0.0, 0.1]))
    text = goals(now, methods())
    assert "; more than 0.03 on 2; the largest: gap-naval +0.100 |" in text
    monkeypatch.setattr(goals_module, "N_NAMED", 5)
    found = "; more than 0.03 on 2: gap-naval +0.100, gap-yacht +0.040 |"
    assert found in goals(now, methods())


def test_nothing_is_reached_while_tasks_are_missing(now, monkeypatch):
    monkeypatch.setattr(goals_module, "SEEDS", 1)
    few = {name: methods()[name] for name in NAMES}
    all_tasks = {name: tasks()[name] for name in (*TASKS, "gap-wine", "gap-power")}
    missing = standing(now.table, methods(), all_tasks, classes=False)
    assert missing.waiting == ("gap-wine", "gap-power")
    text = goals(missing, few)
    assert "2 tasks are missing" in text
    assert verdicts(text)[0] == "not known yet; so far yes"
    said = gaps(now.table, methods(), [missing])
    assert said.startswith("**Tasks not run yet**: `gap-power`, `gap-wine`.")


def test_no_goal_is_reached_while_methods_or_seeds_are_missing(now, monkeypatch):
    few = {name: methods()[name] for name in NAMES}
    assert verdicts(goals(now, few))[0] == "not known yet; so far yes"  # one seed of 5
    monkeypatch.setattr(goals_module, "SEEDS", 1)
    found = goals(now, methods())
    assert verdicts(found)[0] == "not known yet; so far yes"
    assert verdicts(found)[2] == "not known yet; so far **no**"
    ours = sum(method.ours for name, method in methods().items() if name not in NAMES)
    assert f"; {len(methods()) - 4 - ours} methods are missing" in found
    assert f"; {ours} more of ours were not run" in found


def test_ranks_leave_out_development_tasks_on_request(now):
    assert now.ranks("nll_out").n_tasks == 3
    assert now.ranks("nll_out", judged=True).n_tasks == 2
    assert "**1.0**" in rank_tables(now)


def test_ranks_come_in_tables_without_blank_rows(now):
    distributions, rows = rank_tables(now).split("\n\n")
    assert distributions.startswith("|  | NLL inside | NLL outside |\n")
    assert rows.startswith("|  | AUROC | seconds to fit | seconds to predict |\n")
    assert "5th neighbour" in rows
    assert "5th neighbour" not in distributions
    assert "*critical difference*" in distributions


def test_why_the_default_is_not_first_is_told_by_task(now):
    # Only in AUROC, by 0.3 on each of three gaps.
    assert why(now) == (
        "**Why 5th neighbour is first in AUROC**: the default is worse on 3 of 3 tasks "
        "(gap-energy by 0.30, gap-naval by 0.30, gap-yacht by 0.30), and better on 0. "
        "It is worse, by kind of shift, on: gap 3 of 3."
    )


def test_the_cause_is_told_by_how_many_rows_intervals_hold(now):
    # The default's score is worse on all three, once too narrow and once too wide.
    some = rows()
    for t, task in enumerate(TASKS):
        for method, score, share in (
            (DEFAULT, 3.0, (0.5, 0.99, 0.9)[t]),
            ("deep-ensemble", 2.0, (0.7, 0.94, 0.9)[t]),
        ):
            some.append(Row(task, method, 0, "interval_score_out", score))
            some.append(Row(task, method, 0, "coverage_out", share))
            some.append(Row(task, method, 0, "interval_score_in", 3 - score + t))
    said = why(stands(some))
    _, _, cause = said.partition("**What it comes from**, by 90 % intervals: ")
    assert cause.startswith(
        "On 1 of them the default's hold fewer shifted rows than those of deep "
        "ensemble (gap-yacht 50 %, 70 %). Where columns are in bins"
    )
    assert "([choices](choices.md), “What bins cost outside”" in cause
    assert "hold more shifted rows than those of deep ensemble (gap-energy 99" in cause
    assert "Over all 3 tasks the default's hold 80 %, and those of deep" in cause
    assert "the default's interval score is better on 3 of 3." in cause


def test_values_mark_the_best_and_the_development_tasks(now):
    lines = values(now, "nll_out").splitlines()
    assert any(line.startswith("| gap-energy † | **1.00** | 2.00 |") for line in lines)


def test_duels_count_the_tasks_that_both_have(monkeypatch):
    monkeypatch.setattr(standing_module, "FEWEST", 2)
    some = [
        *rows(),
        Row("gap-yacht", "dare", 0, "nll_out", 0.5),
        Row("gap-naval", "dare", 0, "nll_out", 1.0),
    ]
    now = standing(Table(some), methods(), tasks(), classes=False)
    lines = duels(now, methods()).splitlines()
    # DARE is better on one task and ties on the other, and has nothing else.
    assert "| DARE | 0.5 of 2 |  |  |" in lines
    assert "| 5th neighbour |  | 0 of 3 |  |" in lines
    assert unranked_losses(now, methods()) == "Nowhere."  # one of two is not most


def test_what_an_unranked_method_does_better_is_said_first(monkeypatch):
    monkeypatch.setattr(standing_module, "FEWEST", 2)
    table = Table([*rows(), Row("gap-yacht", "dare", 0, "nll_out", 0.5)])
    now = standing(table, methods(), tasks(), classes=False)
    (line,) = unranked_losses(now, methods()).splitlines()[2:]
    assert line == "| NLL outside | DARE | 1 of 1 | +0.500 |"


def test_a_method_without_all_its_rows_is_not_ranked(monkeypatch):
    monkeypatch.setattr(standing_module, "FEWEST", 2)
    some = [*rows(), Row("gap-yacht", "dare", 0, FAILED, 1.0, "over the limit")]
    table = Table(some)
    now = standing(table, methods(), tasks(), classes=False)
    assert "dare" not in now.methods
    said = gaps(table, methods(), [now])
    _, never, partly, failed = said.split("\n\n", 3)
    assert never.startswith("**Not run yet**: ")
    assert "water-filling" in never
    assert partly == "**Not run on all tasks yet**: DARE (1 of 3 with numbers)."
    assert failed.endswith("| DARE | 1 | over the limit |")


def test_seeds_count_when_enough_methods_have_them(monkeypatch):
    monkeypatch.setattr(standing_module, "FEWEST", 3)
    both = [*rows(), *(row._replace(seed=1) for row in rows() if row.value < 99)]
    now = standing(Table(both), methods(), tasks(), classes=False)
    assert now.n_seeds == 2
    assert not np.isnan(now.mean("gap-yacht", DEFAULT, "auroc"))


def test_the_page_begins_with_what_is_lost(monkeypatch):
    monkeypatch.setattr(standing_module, "FEWEST", 2)
    text, picture = page(Table(rows()), methods(), tasks())
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings[:2] == ["## Where we lose", "## What was wanted"]
    assert b"antireg, the default" in picture


def test_the_page_of_the_site_is_what_the_rows_say(tmp_path):
    page_module.main(["--rows", str(RESULTS), "--out", str(tmp_path)])
    for name in ("leaderboard.md", page_module.PICTURE):
        assert (tmp_path / name).read_bytes() == (DOCS / name).read_bytes()
