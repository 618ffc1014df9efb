import argparse

import pytest

from antireg.command_options import add_table_commands, names, share


def commands():
    parser = argparse.ArgumentParser()
    added = parser.add_subparsers()
    add_table_commands(added)
    return parser, added.choices


def test_every_argument_of_every_command_is_explained():
    for name, parser in commands()[1].items():
        for action in parser._actions:
            assert action.help, f"{name} {action.dest}"


def test_each_command_names_its_function():
    parser, _ = commands()
    args = parser.parse_args(["predict", "m", "t.csv", "--out", "o.csv"])
    assert (args.module, args.run, args.coverage) == ("commands", "predict", 0.9)


def test_names_are_separated_by_commas():
    assert names("a,b c") == ["a", "b c"]


@pytest.mark.parametrize("text", ["0", "1", "-0.1", "nan"])
def test_a_share_lies_between_0_and_1(text):
    assert share("0.05") == 0.05
    with pytest.raises(argparse.ArgumentTypeError, match="between 0 and 1"):
        share(text)
