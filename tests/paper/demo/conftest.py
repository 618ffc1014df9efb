"""What came of small trainings of every problem."""

import pytest

from antireg.paper.demo.fits import Outcome, run
from tests.paper.demo.small import small_cells


@pytest.fixture(scope="package")
def outcomes() -> list[Outcome]:
    return [run(cell) for cell in small_cells()]
