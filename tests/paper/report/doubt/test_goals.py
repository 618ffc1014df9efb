"""Goals say whether they are reached, by what is shown."""

import pytest

from antireg.paper.data.natural_tables import TABLES
from antireg.paper.report.doubt import goals
from antireg.paper.report.doubt.goals import Goal
from antireg.paper.report.doubt.measured import COLUMNS, WITH_DOUBT, Found


def a_goal(value, wanted=0.9, is_least=True, done=5):
    return Goal("it", lambda *_: Found(value, done, 5), wanted, is_least)


@pytest.mark.parametrize(
    ("goal", "word"),
    [
        (a_goal(0.95), "yes"),
        (a_goal(0.896), "yes"),  # shown as 0.90
        (a_goal(0.894), "no"),
        (a_goal(0.894, is_least=False), "yes"),
        (a_goal(0.906, is_least=False), "no"),
        (a_goal(0.95, done=3), "yes so far, 3 of 5"),
        (a_goal(None, done=0), "missing"),
        (a_goal(0.95, wanted=None), ""),
    ],
)
def test_what_is_reached_is_decided_by_the_number_shown(goal, word, empty):
    assert goal.reached(empty) == word


def test_wanted_numbers_are_those_of_the_plan():
    asked = {
        part.title: [goal.wanted_text for goal in part.goals if goal.wanted is not None]
        for part in (*goals.citycam("doubt"), *goals.images("doubt"))
    }
    assert asked == {
        "same five cameras": ["≤ 2.30", "≤ 0.06", "≤ 0.03", "≥ 0.98"],
        "cameras drawn by seed": ["≤ 2.70", "≤ 0.12", "≤ 0.03", "≥ 0.98"],
        "bigbus": ["≤ 2.60", "≤ 0.15", "≤ 0.03", "≥ 0.92"],
        "weather": ["≤ 2.05", "≤ 0.05", "≤ 0.03", "≥ 0.88"],
        "CIFAR-10": ["≥ 0.950", "≥ 0.880", "≥ 0.926"],
        "Fashion-MNIST": ["≥ 0.993", "≥ 0.995", "≥ 0.892"],
    }


def test_every_goal_finds_its_numbers(full):
    parts = [*goals.citycam("doubt"), *goals.citycam("doubt-raw"), *goals.hours()]
    parts += [*goals.images("doubt"), *goals.images("doubt-raw")]
    for part in (*parts, goals.gaps(), goals.tables()):
        for goal in part.goals:
            if not goal.what.startswith("least coverage"):  # if a shift is noticed
                assert all(goal.measure(full, who).is_whole for who in COLUMNS)


def test_the_best_detector_is_the_one_with_the_highest_mean(full):
    name, found = goals.best_detector(full)
    assert name in goals.DETECTORS.values()
    assert found.is_whole
    own, over = (goal.measure(full, WITH_DOUBT) for goal in goals.tables().goals[:2])
    assert over.value == pytest.approx(own.value - found.value)
    assert found.wanted == 5 * len(TABLES)


def test_hours_show_how_often_new_hours_are_flagged(full):
    for part in goals.hours():
        alarms = part.goals[-1]
        assert alarms.what == "false alarms, 5 % asked"
        assert alarms.measure(full, WITH_DOUBT).value == pytest.approx(0.05)
