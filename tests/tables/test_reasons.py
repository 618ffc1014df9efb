from __future__ import annotations

import numpy as np
import pytest

from antireg import EnsembleRegressor
from antireg.tables import Column, Encoding
from antireg.tables.columns import LARGEST, Seen
from antireg.tables.reasons import (
    moves,
    outside_period,
    outside_range,
    surprise,
    surprise_of_columns,
    unseen_shares,
)
from antireg.training.provenance import TrainingData
from tests.small_models import regressor, rows

ENCODING = Encoding(
    (
        Column("number", "numeric", fill=0.0, missing=True),
        Column("word", "categorical", categories=("x", "y")),
    ),
    "target",
    "numeric",
)


# 100 rows: numbers −1 and 1 as often, a fifth missing, as many x as y.
TRAINING = TrainingData(
    100, "", np.array([0, 0.2, 0.5, 0.5, 0]), np.array([0.8, 0.16, 0.25, 0.25, 0])
)


def test_a_number_is_not_averaged_with_its_gaps() -> None:
    # The variance of the number is 0.8. Ten rows at ±1.5, two of them missing, are
    # 8 · 1.5² / 10 / 0.8 = 2.25 times as far out, and as often missing as in training.
    X = np.zeros((10, 5))
    X[:8, 0], X[8:, 1] = [1.5, -1.5] * 4, 1
    X[::2, 2] = X[1::2, 3] = 1
    np.testing.assert_allclose(moves(TRAINING, X, ENCODING), [2.25, 1.0], rtol=1e-12)


def test_new_gaps_are_seen_where_numbers_are_usual() -> None:
    # All are missing, where a fifth was: (1 − 0.2)² / (0.2 · 0.8) = 4.
    X = np.zeros((10, 5))
    X[:, 1] = X[:, 2] = 1
    assert moves(TRAINING, X, ENCODING)[0] == pytest.approx(4, rel=1e-12)


def test_one_unseen_word_does_not_outrank_a_number_out_of_range_everywhere() -> None:
    X = np.zeros((982, 5))
    X[:, 0], X[:, 2] = 4.0, 1
    X[0, 2:] = [0, 0, 1]
    number, word = moves(TRAINING, X, ENCODING)
    assert number == pytest.approx(16 / 0.8, rel=1e-6)
    # One of 982 has the term 101, the others 1 / 101: of words as such it is 1.
    assert word == pytest.approx(1.0, rel=1e-6)
    assert unseen_shares(ENCODING, X).tolist() == [0.0, 1 / 982]


def test_words_never_seen_anywhere_outrank_such_a_number() -> None:
    X = np.zeros((10, 5))
    X[:, 0] = 4.0
    X[:, 4] = 1
    assert moves(TRAINING, X, ENCODING) == pytest.approx([20.0, 101.0], rel=1e-12)


def test_each_row_has_the_larger_term_of_each_column() -> None:
    terms = np.array([[1.0, 3.0, 2.0, 4.0, 0.5], [5.0, 0.0, 1.0, 1.0, 7.0]])
    assert surprise_of_columns(terms, ENCODING).tolist() == [[3.0, 3.0], [5.0, 7.0]]


@pytest.mark.parametrize("scaling", ["range", "standard"])
def test_surprise_points_at_the_input_that_is_far_on_either_side(scaling):
    model = regressor(scaling=scaling, method="deep_ensemble")
    training, scaled = model.training_data_, model.scaling_.scaled
    usual = surprise(training, scaled(rows()[0]))
    assert usual.mean(axis=0) == pytest.approx([1, 1, 1], rel=0.3)
    for sign in (-1, 1):
        row = rows()[0].mean(axis=0, keepdims=True)
        row[0, 1] += sign * 10 * rows()[0][:, 1].std()
        terms = surprise(training, scaled(row))[0]
        assert terms[1] == pytest.approx(100, rel=0.3)
        assert terms[[0, 2]].max() < 1


@pytest.mark.parametrize("scaling", ["none", "range", "standard"])
def test_surprise_matches_hand_values(scaling):
    # Means 2, 0, 7 and variances 1, 0, 0 of four training rows.
    X = np.array([[1.0, 0, 7], [3, 0, 7], [1, 0, 7], [3, 0, 7]])
    model = EnsembleRegressor(
        "deep_ensemble", n_members=1, hidden=(), epochs=1, scaling=scaling, doubt=None
    )
    with pytest.warns(UserWarning, match="4 held-out scores are too few"):
        model.fit(X, X[:, 0], validation_data=(X, X[:, 0]))
    training, scaling = model.training_data_, model.scaling_
    inputs = scaling.scaled(np.array([[5.0, 0, 7], [2, 1, 7], [1, 0, 8]]))
    terms = surprise(training, inputs)
    usual = 1 / 5  # of an input that was always the same in four rows, and is still
    expected = [[9, usual, usual], [0, 5, usual], [1, usual, 5]]
    np.testing.assert_allclose(terms, expected, rtol=1e-5, atol=1e-9)


RANGES = Encoding(
    (
        Column("area", "numeric", fill=5.0, seen=Seen(50, 0.0, 10.0)),
        Column("rooms", "numeric", fill=2.0, seen=Seen(50, 1.0, 3.0)),
        Column("older", "numeric", fill=0.0),
        Column("age", "numeric", fill=1.0, seen=Seen(50, 1.0, 1.0)),
        Column("height", "numeric", fill=1.0, seen=Seen(50, 0.0, 1e300)),
    ),
    "target",
    "numeric",
)


def test_values_outside_the_range_are_named_the_farthest_first() -> None:
    usual = [5.0, 2.0, 0.0, 1.0, 1.0]
    X = np.array([usual] * 4)
    X[1, :2] = 11, 0  # a tenth and a half of their range outside
    X[2] = LARGEST, 4, 1e9, 2, -1e300
    X[3, 2] = -1e9
    assert outside_range(RANGES, X).tolist() == [
        [-1, -1, -1],
        [1, 0, -1],
        [0, 3, 4],
        [-1, -1, -1],
    ]
    unknown = Encoding((Column("a", "numeric"),), "y", "numeric")
    assert outside_range(unknown, X).shape == (4, 0)


def test_rows_outside_the_time_of_training_are_counted() -> None:
    sold = Column("sold", "date", fill=5.0, seen=Seen(50, 0.0, 10.0))
    encoding = Encoding((RANGES.columns[0], sold), "target", "numeric")
    X = np.zeros((4, 6))
    X[:, 1] = [-1, 0, 10, 11]
    assert outside_period(encoding, X) == {"sold": 2}
    assert outside_period(RANGES, np.zeros((2, 5))) == {}
