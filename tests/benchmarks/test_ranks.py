"""Ranks and their critical difference, by hand and by the paper they come from."""

import numpy as np
import pytest
from benchmarks.leaderboard.book import FAILED, Row
from benchmarks.leaderboard.ranks import Table, critical_difference, friedman, ranked


def rows(values):
    """Return rows of AUROC, values[task][method][seed]; None is a failed fit."""
    return [
        Row(task, method, seed, "auroc", value)
        if value is not None
        else Row(task, method, seed, FAILED, 1.0, "over the limit")
        for task, methods in values.items()
        for method, seeds in methods.items()
        for seed, value in enumerate(seeds)
    ]


VALUES = {
    "one": {"a": [0.9, 0.9], "b": [0.8, 0.95], "c": [0.1, None]},
    "two": {"a": [0.9, 0.9], "b": [0.9, 0.8], "c": [0.1, 0.2]},
}


def test_ranks_of_a_task_are_averaged_over_seeds():
    found = ranked(Table(rows(VALUES)), "auroc", ["a", "b", "c"], ["one", "two"], 2)
    # Task one: a is 1 and 2, b 2 and 1, c last twice. Task two: a ties, then wins.
    assert found.means == {"a": 1.375, "b": 1.625, "c": 3.0}
    assert found.n_tasks == 2


def test_who_has_no_such_measure_is_not_ranked():
    table = Table([*rows(VALUES), Row("one", "d", 0, "nll_in", 1.0)])
    found = ranked(table, "auroc", ["a", "d", "b"], ["one"], 1)
    assert set(found.means) == {"a", "b"}
    assert ranked(table, "nll_in", ["a", "d"], ["one"], 1) is None
    assert table.measures("d", ["one"]) == {"nll_in"}
    assert table.measures("d", ["two"]) == set()


def test_critical_difference_is_that_of_demsar():
    # Section 3.2.2 of the paper: four methods on 14 data sets.
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)


def test_friedman_matches_hand_value():
    # Two methods, four tasks, one always first: 12·4/6 · ½ = 4 with one degree.
    ranks = np.tile([1.0, 2.0], (4, 1))
    assert friedman(ranks) == pytest.approx(0.0455, abs=5e-5)


def test_a_method_is_complete_when_it_was_tried_everywhere():
    table = Table(rows(VALUES))
    assert table.complete("c", ["one", "two"], 2)
    assert not table.complete("c", ["one", "two"], 3)
    assert table.failures == {("one", "c", 1): "over the limit"}
    assert np.isnan(table.mean("one", "c", "auroc", 2))
    assert table.mean("two", "b", "auroc", 2) == pytest.approx(0.85)
