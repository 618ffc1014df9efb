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
        (0, 1, False, ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (-2.4, 2.4, False, ["-2", "-1", "0", "1", "2"]),
        (1, 1e4, True, ["1", "10", "100", "1,000", "10⁴"]),
        (0.3, 6, True, ["0.5", "1", "2", "5"]),
        (0.12, 0.39, True, ["0.2", "0.3"]),
    ],
)
def test_ticks_are_some_round_values_inside(low, high, log, ticks):
    assert list(axes.ticks(low, high, log).values()) == ticks


@pytest.mark.parametrize(
    ("tick", "shown"),
    [(0, "0"), (0.5, "0.5"), (2500, "2,500"), (1e4, "10⁴"), (3e7, "3·10⁷"),
     (-25000, "-2.5·10⁴"), (1e-12, "10⁻¹²"), (1000.0, "1,000")],
)  # fmt: skip
def test_ticks_are_short(tick, shown):
    assert axes.shown(tick) == shown
