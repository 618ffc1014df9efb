import numpy as np
import pytest

from antireg.report import axes


def test_the_ends_hold_all_values_that_can_be_drawn():
    assert axes.ends([[3, -1], [np.nan, np.inf]], log=False) == (-1, 3)
    assert axes.ends([0, -5, 2, 8], log=True) == (2, 8)
    assert axes.ends([1e-30, 1], log=True) == (1e-12, 1)  # twelve decades at most
    assert axes.ends([3, 3], log=False) == (2.5, 3.5)
    assert axes.ends([], log=True) == (1, 10)


def test_shares_are_even_in_value_or_in_logarithm():
    assert axes.share(np.array([2.0, 3, 4, 9]), 2, 4, False).tolist() == [0, 0.5, 1, 1]
    logarithmic = axes.share(np.array([0.0, 1, 10, 100]), 1, 100, True)
    assert logarithmic == pytest.approx([0, 0, 0.5, 1])


@pytest.mark.parametrize(
    ("low", "high", "log", "ticks"),
    [
        (0, 1, False, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (-2.4, 2.4, False, ["−2", "−1", "0", "1", "2"]),
        (1, 1e4, True, ["1", "10", "100", "1,000", "10,000"]),
        (0.3, 6, True, ["0.5", "1.0", "2.0", "5.0"]),
        (0.12, 0.39, True, ["0.2", "0.3"]),
    ],
)
def test_ticks_are_some_round_values_inside(low, high, log, ticks):
    assert list(axes.ticks(low, high, log).values()) == ticks


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([0.0, 0.25, 0.5], ["0.00", "0.25", "0.50"]),
        ([-1.0, -0.5, 0.0], ["−1.0", "−0.5", "0.0"]),
        ([0.0, 5e3, 1e4, 1.5e4], ["0", "5,000", "10,000", "15,000"]),
        ([0.01, 1.0, 100.0], ["0.01", "1", "100"]),
        ([0.0, 1e7, 2.5e7], ["0", "10⁷", "2.5·10⁷"]),
        ([-1e-6, 1e-12], ["−1·10⁻⁶", "10⁻¹²"]),
        ([0.0], ["0"]),
    ],
)
def test_labels_of_one_axis_are_written_alike(values, labels):
    assert axes.labels(values) == labels


@pytest.mark.parametrize("values", [[0.3, 6.1], [-1.43, -0.94], [1, 60], [7, 7]])
def test_rounded_ends_are_ticks_and_hold_the_values(values):
    low, high = axes.rounded(values)
    assert low <= min(values) <= max(values) <= high
    ticks = list(axes.ticks(low, high, False))
    assert ticks[0] == pytest.approx(low, abs=1e-9)
    assert ticks[-1] == pytest.approx(high, abs=1e-9)
