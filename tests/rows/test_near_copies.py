import warnings

import numpy as np
import pytest
import torch

from antireg import EnsembleRegressor
from antireg.rows.data import Data
from antireg.rows.near_copies import values_of, warn_of_near_copies
from tests.small_models import SMALL

RNG = np.random.default_rng(0)
WALK = np.cumsum(RNG.normal(size=(1000, 4)), axis=0)
INDEPENDENT = RNG.normal(size=(1000, 4))
TWICE = np.repeat(INDEPENDENT[:400], 2, axis=0)
PLAIN = SMALL | {"method": "deep_ensemble"}
TIME = np.linspace(0, 6, 1000)


def warned(X, scaled=True):
    X = (X - X.mean(axis=0)) / X.std(axis=0) if scaled else X
    held_out = np.random.default_rng(1).random(len(X)) < 0.1
    validation, data = (
        Data(torch.from_numpy(part).float(), torch.zeros(len(part), 1), None)
        for part in (X[held_out], X[~held_out])
    )
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        warn_of_near_copies(values_of(validation), values_of(data), held_out, 0)
    return [str(one.message) for one in said]


@pytest.mark.parametrize(
    "X",
    [
        WALK,
        np.column_stack([np.sin(TIME), np.cos(TIME), TIME]),
        RNG.permutation(TWICE),
        RNG.permutation(TWICE + 1e-5 * RNG.normal(size=TWICE.shape)),
    ],
    ids=["walk", "curve", "entered twice", "almost twice"],
)
def test_a_series_and_rows_that_repeat_are_noticed(X):
    (message,) = warned(X)
    assert "groups= of fit, or --groups COLUMN" in message


@pytest.mark.parametrize(
    "X",
    [
        INDEPENDENT,
        RNG.permutation(WALK),
        INDEPENDENT[np.argsort(INDEPENDENT[:, 0])],
        np.linspace(0, 1, 1000)[:, None],
        np.repeat(np.eye(4), 250, axis=0) + 1e-9 * INDEPENDENT.round(),
        WALK[:150],
        RNG.permutation(TWICE + 1e-2 * RNG.normal(size=TWICE.shape)),
    ],
    ids=[
        *("independent", "shuffled", "sorted", "one column", "words", "few rows"),
        "alike, not the same",
    ],
)
def test_sound_tables_are_left_in_peace(X):
    assert warned(X) == []


def test_columns_far_from_zero_are_no_copies():
    X = RNG.normal([1e4, 20, 0.5], [5, 5, 0.3], (4000, 3))
    assert warned(X, scaled=False) == []


def test_fit_says_it_once_and_not_when_groups_are_given():
    y = WALK[:, 0] + RNG.normal(size=1000)
    with pytest.warns(UserWarning, match="nearly alike") as said:
        EnsembleRegressor(**PLAIN).fit(WALK, y)
    assert sum("nearly alike" in str(one.message) for one in said) == 1
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        EnsembleRegressor(**PLAIN).fit(WALK, y, groups=np.arange(1000) // 20)
    assert not [one for one in said if "nearly alike" in str(one.message)]
