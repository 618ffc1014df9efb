from types import SimpleNamespace

import numpy as np
import pytest

from antireg.report.promises import ENOUGH, n_calibrating, normal_range, promises


def calibrated_by(n_rows, kind="regressor"):
    scores = np.zeros(n_rows)
    return SimpleNamespace(held_out_scores_=scores, false_alarm_rate=0.05, kind=kind)


def test_the_range_matches_a_hand_value():
    # 19 rows, α = 1/20: Beta(1, 19), whose distribution is 1 − (1 − x)¹⁹.
    expected = 1 - 0.95 ** (1 / 19), 1 - 0.05 ** (1 / 19)
    assert normal_range(0.05, 19) == pytest.approx(expected)
    # The same from the other side, for intervals of 95 %.
    assert normal_range(0.95, 19) == pytest.approx((1 - expected[1], 1 - expected[0]))


def test_so_many_fits_are_within_the_range():
    rng = np.random.default_rng(0)
    scores = np.sort(rng.uniform(size=(4000, 130)))
    rates = 1 - np.quantile(scores, 0.95, axis=1, method="weibull")
    low, high = normal_range(0.05, 130)
    assert ((low < rates) & (rates < high)).mean() == pytest.approx(0.9, abs=0.015)


def test_few_rows_are_said_in_a_sentence():
    assert promises(calibrated_by(130)) == (
        "5 % false alarms asked; with 130 rows to calibrate on, 2.3 to 8.5 % is "
        "normal over many new rows, and 85 to 94 % for intervals that should cover "
        "90 %."
    )
    assert promises(calibrated_by(130, "classifier")).endswith(
        " 8.5 % is normal over many new rows."
    )


def test_rows_of_groups_count_as_groups():
    model = calibrated_by(700)
    model.n_groups_ = 130
    model.training_data_ = SimpleNamespace(n_rows=500)  # references
    assert n_calibrating(model) == 130  # a gate, by all its rows
    assert promises(model).startswith("5 % false alarms asked; with 130 groups to")
    # An ensemble held out 70 of its 700 rows: 13 of 130 groups.
    model.held_out_scores_ = np.zeros(70)
    model.training_data_ = SimpleNamespace(n_rows=700)
    assert n_calibrating(model) == 13


def test_of_many_rows_nothing_is_said():
    assert promises(calibrated_by(ENOUGH)) == ""
    low, high = normal_range(0.05, ENOUGH)
    assert (round(low, 3), round(high, 3)) == (0.039, 0.062)
