"""The threshold keeps its false alarm rate on fresh rows."""

import numpy as np
import pytest

from antireg.familiarity import detection
from antireg.familiarity.detection import (
    Detector,
    filled_in,
    thinned,
    threshold,
)


def test_threshold_matches_hand_value():
    # n = 19, α = 0.05: k = 20 · 0.95 = 19, the largest of the scores 1 … 19.
    assert threshold(np.arange(1.0, 20.0), 0.05) == pytest.approx(19.0)
    # n = 9, α = 0.3: k = 10 · 0.7 = 7. The usual quantile says 6.6.
    assert threshold(np.arange(1.0, 10.0), 0.3) == pytest.approx(7.0)
    # n = 4, α = 0.3: k = 5 · 0.7 = 3.5, half way between 30 and 40.
    assert threshold([40.0, 10.0, 30.0, 20.0], 0.3) == pytest.approx(35.0)


@pytest.mark.parametrize(("n_rows", "rate"), [(19, 0.05), (39, 0.1), (9, 0.5)])
def test_expected_false_alarm_rate_on_fresh_rows_is_the_rate_asked_for(n_rows, rate):
    rng = np.random.default_rng(0)
    # Exponential scores exceed a threshold t with probability exp(−t).
    rates = [
        np.exp(-threshold(rng.exponential(size=n_rows), rate)) for _ in range(4000)
    ]
    standard_error = np.std(rates) / np.sqrt(len(rates))
    assert np.mean(rates) == pytest.approx(rate, abs=4 * standard_error)


def test_too_few_rows_give_their_maximum_and_a_warning_that_counts():
    message = (
        r"10 held-out scores .* 0\.05.*rate is 0\.0909\. Hold out or gather at least 19"
    )
    with pytest.warns(UserWarning, match=message):
        assert threshold(np.arange(10.0), 0.05) == 9.0


@pytest.mark.parametrize(
    ("n_rows", "rate"), [(19, 0.05), (9, 0.1), (99, 0.01), (2, 1 / 3), (6, 1 / 7)]
)
def test_the_row_count_the_warning_asks_for_is_enough(n_rows, rate):
    threshold(np.arange(float(n_rows)), rate)  # warnings are errors
    with pytest.warns(UserWarning, match=f"at least {n_rows} rows"):
        threshold(np.arange(n_rows - 1.0), rate)


def test_flag_is_strict():
    flags = Detector(threshold=1.0).flag([0.9, 1.0, 1.1])
    assert flags.dtype == np.bool_
    assert flags.tolist() == [False, False, True]


def test_a_row_is_flagged_for_its_score_or_for_what_is_strange_in_it():
    detector = Detector(threshold=1.0)
    scores = [0.9, 1.0, 1.1, 0.9, 1.1]
    assert detector.flag(scores).tolist() == [False, False, True, False, True]
    words = ["", "", "", "b is unseen", "b is unseen"]
    assert detector.flag(scores, words).tolist() == [False, False, True, True, True]


def test_constant_scores_are_never_flagged():
    assert not Detector(threshold(np.ones(30))).flag(np.ones(30)).any()


@pytest.mark.parametrize("rate", [0, 1, 5, -0.1, np.nan])
def test_rates_outside_0_and_1_are_refused(rate):
    with pytest.raises(ValueError, match="false_alarm_rate must be strictly between"):
        threshold(np.arange(100.0), rate)


@pytest.mark.parametrize("values", [[], [[1.0, 2.0]], [1.0, np.nan], [1.0, np.inf]])
def test_unusable_scores_are_refused(values):
    with pytest.raises(ValueError, match="held_out_scores must be"):
        threshold(values)
    with pytest.raises(ValueError, match="scores must be"):
        Detector(1.0).flag(values)


def test_a_threshold_of_nan_is_refused():
    with pytest.raises(ValueError, match="threshold must be a number"):
        Detector(np.nan).flag([1.0])


def test_thinned_scores_set_the_same_threshold_to_the_last_digit():
    scores = np.sort(np.random.default_rng(0).lognormal(size=10_000))
    for rate in (0.05, 0.3, 0.123, 0.999, 0.00001):
        few, ranks = thinned(scores, 499, rate)
        assert len(few) <= 499
        filled = filled_in(few, ranks)
        assert len(filled) == 10_000
        assert (np.diff(filled) >= 0).all()
        assert threshold(filled, rate, warn=False) == threshold(
            scores, rate, warn=False
        )
        assert threshold(filled, 0.1) == pytest.approx(threshold(scores, 0.1), rel=0.01)


def test_the_largest_scores_are_all_kept():
    """Of 499, two or three are around the rate; half of the rest are the largest."""
    scores = np.sort(np.random.default_rng(0).lognormal(size=10_000))
    filled = filled_in(*thinned(scores, 499, 0.05))
    np.testing.assert_array_equal(filled[-248:], scores[-248:])


def test_few_scores_are_kept_as_they_are():
    scores = np.array([1.0, 2.0, 5.0])
    few, ranks = thinned(scores, 20, 0.05)
    assert few is scores
    assert ranks.tolist() == [1, 2, 3]
    np.testing.assert_array_equal(filled_in(few, ranks), scores)


def test_scores_between_are_on_a_line():
    filled = filled_in(np.array([1.0, 4.0, 5.0]), np.array([1, 4, 5]))
    np.testing.assert_allclose(filled, [1, 2, 3, 4, 5], rtol=1e-15)


def test_of_very_many_scores_as_many_quantiles_are_kept(monkeypatch):
    monkeypatch.setattr(detection, "MOST_RANKS", 99)
    _, ranks = thinned(np.arange(1.0, 1000), 50, 0.05)
    assert ranks[-1] == 99
