from datetime import datetime

import pytest

from antireg.tables.written_dates import date_of, first_is_day, looks_like_date

FIFTH = datetime(2024, 1, 5)
CLEAR = {
    "2024-01-05": FIFTH,
    "2024/1/5": FIFTH,
    "2024-01-05T15:04:05.25": datetime(2024, 1, 5, 15, 4, 5, 250_000),
    "2024-01-05 03:04:05+01:00": datetime(2024, 1, 5, 2, 4, 5),
    "2024-01-05T03:04:05Z": datetime(2024, 1, 5, 3, 4, 5),
    "5.1.2024": FIFTH,
    "5.1.24": FIFTH,
    "31/1/2024": datetime(2024, 1, 31),
    "1/31/2024": datetime(2024, 1, 31),
    "1/31/24 3:04 PM": datetime(2024, 1, 31, 15, 4),
    "1/31/24 12:00 a.m.": datetime(2024, 1, 31),
    "31/12/69": datetime(1969, 12, 31),
    "31/12/68": datetime(2068, 12, 31),
    "5 Jan 2024": FIFTH,
    "05-JAN-2024": FIFTH,
    "January 5, 2024": FIFTH,
    "Sept. 5 2024": datetime(2024, 9, 5),
    "29.02.2024": datetime(2024, 2, 29),
}
NONE = [
    "",
    "x",
    "2024",
    "2024-13-01",
    "30.02.2024",
    "29.02.2023",
    "1/2/3",
    "5 Foo 2024",
]
NONE += ["12:30", "2024-01-05 25:00", "2024-01-05 13:00 pm", "1.5", "5"]


@pytest.mark.parametrize("text", CLEAR)
def test_common_notations_are_read(text):
    assert date_of(text) == CLEAR[text]
    assert looks_like_date(text)


@pytest.mark.parametrize("text", NONE)
def test_other_texts_and_days_that_do_not_exist_are_no_dates(text):
    assert date_of(text) is None


def test_days_and_months_are_told_apart_or_not_read():
    assert date_of("3/4/2024") is None
    assert date_of("3/4/2024", day_first=True) == datetime(2024, 4, 3)
    assert date_of("3/4/2024", day_first=False) == datetime(2024, 3, 4)
    assert date_of("13/4/2024", day_first=False) is None


def test_the_order_is_that_of_the_dates_which_show_it():
    assert first_is_day(["3/4/2024", "13/4/2024"]) is True
    assert first_is_day(["3/4/2024", "4/13/2024"]) is False
    assert first_is_day(["3/4/2024", "2024-01-05", "x"]) is None
    assert first_is_day(["13/4/2024", "4/13/2024"]) is None
    assert first_is_day(["3.4.2024"]) is True


def test_a_text_too_long_for_a_date_is_refused_unread():
    blanks = "2024-01-31 10:00" + " " * 100_000 + "x"  # minutes, if it were matched
    assert date_of(blanks) is None
    assert not looks_like_date(blanks)
    assert first_is_day([blanks]) is None
