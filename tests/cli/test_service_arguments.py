import re
import shlex
from pathlib import Path

import pytest

from antireg.cli import main
from antireg.cli.main import _parser

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    "wrong", [["--level", "2"], ["--level", "0"], ["--random-state", "-1"]]
)
def test_mistyped_options_exit_with_two(wrong, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["monitor", "model", "today.csv", *wrong])
    assert stopped.value.code == 2
    assert "must be" in capsys.readouterr().err


@pytest.mark.parametrize("page", ["monitor.md", "serve.md"])
def test_commands_of_the_pages_are_spelt_right(page):
    blocks = re.findall(r"```sh\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
    lines = "".join(blocks).splitlines()
    commands = [shlex.split(li, comments=True) for li in lines if li[:8] == "antireg "]
    assert len(commands) >= 2
    for command in commands:
        assert _parser().parse_args(command[1:]).run == command[1]
