import numpy as np
import pyarrow as pa
import pytest

from antireg.tables.dates import TIME_TYPE, dates, days_since_1970
from tests.tables.test_written_dates import CLEAR, NONE


@pytest.mark.parametrize("text", CLEAR)
def test_common_notations_are_read(text):
    assert dates(pa.array([text, None])).to_pylist() == [CLEAR[text], None]


@pytest.mark.parametrize("text", NONE)
def test_other_texts_and_days_that_do_not_exist_are_missing(text):
    assert dates(pa.array([text])).to_pylist() == [None]


def test_days_match_hand_values():
    moments = pa.array(["1970-01-02T12:00:00", None, "1969-12-31T00:00:00"])
    days = days_since_1970(moments.cast(TIME_TYPE))
    np.testing.assert_array_equal(days, [1.5, np.nan, -1.0])
    (day,) = days_since_1970(pa.array([19_727], pa.date32()))
    assert day == 19_727.0


def test_dates_outside_the_calendar_are_missing():
    days = days_since_1970(pa.array([2**30, -(2**30), 0], pa.date32()))
    np.testing.assert_array_equal(days, [np.nan, np.nan, 0.0])


def test_nanoseconds_and_zones_are_points_in_time():
    fine = pa.array([1_500_000_000_000_000_001], pa.timestamp("ns"))
    zoned = fine.cast(pa.timestamp("ns", "Europe/Berlin"))
    expected = 1_500_000_000 / 86_400
    assert days_since_1970(fine)[0] == pytest.approx(expected, rel=1e-12)
    assert days_since_1970(zoned)[0] == pytest.approx(expected, rel=1e-12)
