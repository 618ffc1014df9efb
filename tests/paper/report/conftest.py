"""Results of made-up rows: of every experiment, and of none."""

from pathlib import Path

import pytest

from antireg.paper.experiments.rows import Book
from antireg.paper.report.results import Results
from tests.paper.report.made_rows import made_book


@pytest.fixture(scope="session")
def made(tmp_path_factory) -> Path:
    """A folder whose rows hold every fit."""
    folder = tmp_path_factory.mktemp("made")
    made_book(folder)
    return folder


@pytest.fixture(scope="session")
def full(made) -> Results:
    return Results(Book(made / "rows"))


@pytest.fixture
def empty(tmp_path) -> Results:
    return Results(Book(tmp_path / "rows"))
