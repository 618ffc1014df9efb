import numpy as np
import pytest

from antireg.report.shares import Share, chance_of_fewer, chance_of_more, percent


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (0.0004, "0.04 %"), (0.032, "3.2 %"), (0.05, "5 %"), (0.434, "43 %"),
     (0.9999, "99.9 %"), (0.994, "99.4 %"), (1, "100 %")],
)  # fmt: skip
def test_shares_have_two_digits(share, text):
    assert percent(share) == text


def test_the_interval_of_a_share_is_clopper_and_pearsons():
    none = Share.of(np.zeros(10, dtype=bool))
    assert (none.low, none.high) == pytest.approx((0, 1 - 0.025**0.1))
    all_of_them = Share.of(np.ones(10, dtype=bool))
    assert (all_of_them.low, all_of_them.high) == pytest.approx((0.025**0.1, 1))


def test_chance_counts_how_few_rows_set_what_is_usual():
    # One validation row, α = 1/2: of one new row, each count is as likely.
    one = Share.of(np.ones(1, dtype=bool))
    assert chance_of_more(one, 0.5, 1) == pytest.approx(0.5)
    assert chance_of_fewer(one, 0.5, 1) == pytest.approx(1)
    # Of two new rows the counts 0, 1, 2 are equally likely: the share is uniform.
    two = Share.of(np.ones(2, dtype=bool))
    assert chance_of_more(two, 0.5, 1) == pytest.approx(1 / 3)
    assert chance_of_more(Share.of(np.zeros(0, dtype=bool)), 0.5, 1) == 1
