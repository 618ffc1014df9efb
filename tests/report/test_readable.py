import math

import pytest

from antireg.report.readable import named, number, percent, printable


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (19540.3, "19,540"),
        (1418453.7, "1,418,000"),
        (0.21, "0.21"),
        (0.000123456, "0.0001235"),
        (-0.96866, "-0.9687"),
        (9.99996, "10"),
        (99999.6, "100,000"),
        (1200.0, "1,200"),
        (0.0, "0"),
        (-180.421, "-180.4"),
        (5.776e10, "5.776e+10"),
        (1e-9, "1.000e-09"),
        (math.inf, "inf"),
    ],
)
def test_a_number_has_four_digits_and_no_exponent_if_it_can_do_without(value, shown):
    assert number(value) == shown


def test_a_share_is_shown_in_percent():
    assert percent(0.032) == "3.2%"
    assert named("flagged_share", 0.05) == "5.0%"


def test_a_value_is_shown_as_its_name_asks_for():
    assert named("rows", 1200.0) == "1200"
    assert named("rmse", 19540.3, digits=6) == "19,540.3"
    assert named("method", "dare") == "dare"


def test_what_commands_a_terminal_is_spelled_out():
    said = "\x1b[31mred\x07\r\n\x9b1m \u202egnp.exe\u2066 é 😀 \\x"
    shown = "\\x1b[31mred\\x07\\r\\n\\x9b1m \\u202egnp.exe\\u2066 é 😀 \\x"
    assert printable(said) == shown


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("accuracy", None, "None"),
        ("accuracy", "high", "high"),
        ("accuracy", [0.5], "[0.5]"),
        ("rows", math.nan, "nan"),
        ("rows", math.inf, "inf"),
        ("rows", -3.0, "-3"),
    ],
)
def test_what_is_no_number_is_shown_as_it_is(name, value, shown):
    assert named(name, value) == shown
