from antireg.cli.arguments import add_table_commands
from antireg.cli.parsing import Parser


def commands():
    parser = Parser()
    added = parser.add_subparsers()
    add_table_commands(added)
    return parser, added.choices


def test_every_argument_of_every_command_is_explained():
    for name, parser in commands()[1].items():
        if parser.later is not None:
            parser.later(parser)
        for action in parser._actions:
            assert action.help, f"{name} {action.dest}"


def test_each_command_names_its_function():
    parser, _ = commands()
    args = parser.parse_args(["predict", "m", "t.csv", "--out", "o.csv"])
    assert (args.module, args.run, args.coverage) == ("table_commands", "predict", 0.9)


def test_settings_of_a_fit_are_added_when_it_is_asked_for():
    parser, choices = commands()
    given = ["fit", "t.csv", "--target", "y", "--out", "m", "--n-members", "3"]
    assert "--n-members" not in choices["fit"].format_help()
    for _ in range(2):
        assert parser.parse_args(given).n_members == 3
    added = [action.dest for action in choices["fit"]._actions]
    assert added.count("n_members") == 1


def test_names_may_be_given_again():
    fit = [
        "fit",
        "t.csv",
        "--target",
        "y",
        "--out",
        "m",
        "--drop",
        "a,b",
        "--drop",
        "c",
    ]
    assert commands()[0].parse_args(fit).drop == ["a", "b", "c"]
    assert commands()[0].parse_args(fit[:-4]).drop == []
