"""Tasks are cut, scaled by their training rows, and hide what is judged."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.leaderboard import task as module
from benchmarks.leaderboard.task import components, judged

from antireg.paper.data.split import Rows, Split
from tests.benchmarks.toys import TASK


def test_all_rows_are_scaled_by_the_training_rows():
    ready, raw = judged(TASK, 0), TASK.load(0)
    np.testing.assert_allclose(ready.known.x.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(ready.known.x.std(axis=0), 1)
    assert ready.known.y.mean() == pytest.approx(0, abs=1e-12)
    spread, centre = raw.train.y.std(), raw.train.y.mean()
    expected = np.sort((raw.ood["away"].y - centre) / spread)
    np.testing.assert_allclose(np.sort(ready.shifted.y), expected)


def test_more_rows_than_allowed_are_drawn_by_the_seed(monkeypatch):
    monkeypatch.setattr(module, "MOST_TRAIN", 20)
    monkeypatch.setattr(module, "MOST_JUDGED", 10)
    one, again = judged(TASK, 3), judged(TASK, 3)
    sizes = len(one.known.x), len(one.familiar), len(one.shifted)
    assert sizes == (20, 10, 10)
    np.testing.assert_array_equal(one.known.x, again.known.x)


def test_a_constant_column_becomes_zero():
    def load(seed):
        split = TASK.load(seed)

        def with_column(rows):
            return Rows(np.column_stack([rows.x, np.full(len(rows), 0.1)]), rows.y)

        away = {"away": with_column(split.ood["away"])}
        return replace(
            split,
            train=with_column(split.train),
            validation=with_column(split.validation),
            test=with_column(split.test),
            ood=away,
        )

    assert np.abs(judged(replace(TASK, load=load), 0).shifted.x[:, 2]).max() < 1e-9


def test_classes_are_numbered_and_shifted_rows_have_none():
    def load(seed):
        split = TASK.load(seed)
        words = np.array(["a", "b"])

        def named(rows):
            return Rows(rows.x, words[(rows.y > 0).astype(int)])

        unknown = {"away": Rows(split.ood["away"].x)}
        parts = (named(split.train), named(split.validation), named(split.test))
        return Split("words", *parts, unknown)

    ready = judged(replace(TASK, load=load, classes=True), 0)
    assert ready.known.n_classes == 2
    assert set(ready.known.y) == {0, 1}
    assert ready.shifted.y is None


def test_components_of_a_line_are_the_way_along_it():
    along = np.linspace(-1, 1, 50)
    rows = Rows(np.outer(along, [3.0, 4.0]), along)
    split = components(Split("line", rows, rows[:0], rows, {"same": rows}), 1)
    np.testing.assert_allclose(np.abs(split.test.x[:, 0]), 5 * np.abs(along))
