import pytest

from antireg.cli import main


@pytest.mark.parametrize(
    "wrong", [["--level", "2"], ["--level", "0"], ["--random-state", "-1"]]
)
def test_mistyped_options_exit_with_two(wrong, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["monitor", "model", "today.csv", *wrong])
    assert stopped.value.code == 2
    assert "must be" in capsys.readouterr().err
