import argparse

import pytest

from antireg.cli.main import _parser
from antireg.cli.parsing import decimal, names, separator, share


def test_names_are_separated_by_commas():
    assert names("a,b c") == ["a", "b c"]


def test_signs_have_names():
    assert [separator(text) for text in ("tab", ";", "bar")] == ["\t", ";", "|"]
    assert [decimal(text) for text in ("comma", ".")] == [",", "."]
    with pytest.raises(argparse.ArgumentTypeError, match="must be point or comma"):
        decimal("x")


@pytest.mark.parametrize("text", ["0", "1", "-0.1", "nan"])
def test_a_share_lies_between_0_and_1(text):
    assert share("0.05") == 0.05
    with pytest.raises(argparse.ArgumentTypeError, match="between 0 and 1"):
        share(text)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["fit", "t", "--target", "y", "--out", "m", "--grops=a"], "'--groups'?"),
        (["predict", "m", "t", "--out", "o", "--groups", "a"], "argument '--groups'."),
        (["data", "get", "x", "--quite"], "unknown argument '--quite'. Did you mean"),
    ],
)
def test_an_unknown_argument_is_answered_by_its_command(given, message, capsys):
    with pytest.raises(SystemExit):
        _parser().parse_args(given)
    said = capsys.readouterr().err
    assert said.startswith(f"usage: antireg {given[0]}")
    assert message in said
