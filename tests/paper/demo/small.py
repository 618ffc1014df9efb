"""The demo's trainings, small enough to be run by tests."""

from dataclasses import replace

from antireg.paper.demo.fits import Outcome, trainings
from antireg.paper.experiments.plan import Cell
from antireg.paper.experiments.rows import Record

SEED = 3
PROBLEMS = ["two-moons", "one-dimensional", "digits", "diabetes"]
METHODS = ["DE (NLL)", "DE (MSE)", "DARE", "doubt"]


def small_cells(*problems: str) -> list[Cell]:
    settings = {"n_members": 2, "hidden": (8,), "epochs": 2}
    return [
        cell._replace(
            recipe=replace(cell.recipe, settings={**cell.recipe.settings, **settings})
        )
        for cell in trainings(SEED)
        if not problems or cell.recipe.name in problems
    ]


def an_outcome(method: str, numbers: dict[str, float]) -> Outcome:
    values = {(name, ""): value for name, value in numbers.items()}
    return Outcome("digits", method, Record(values, 0.0, ""), [])
