"""The page on water-filling: its examples run as printed, its tables are the rows'."""

from pathlib import Path

import pytest
from benchmarks.filling_table import filled

from tests.pages import run

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "water_filling.md").read_text()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_examples_run_as_printed(capsys: pytest.CaptureFixture[str]) -> None:
    names = run("water_filling.md")
    assert capsys.readouterr().out.split() == ["50", "[", "True]"]
    assert len(names["many"]) == 10
    assert names["gated"].is_ood(names["strange"]).shape == (1,)


def test_its_tables_are_made_from_the_rows() -> None:
    assert filled(PAGE, ROOT / "results") == PAGE
