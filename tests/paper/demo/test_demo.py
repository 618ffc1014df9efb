import csv
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from antireg.paper.demo.__main__ import numbers_csv, train, write
from antireg.paper.demo.fits import UNSEEN, Outcome, Recipe, digits, recipes, run
from antireg.paper.demo.layout import Column, shown
from antireg.paper.demo.story import STORIES, html

PROBLEMS = ["two_moons", "one_dimensional", "one_dimensional_longer", "digits"]
METHODS = ["DE (NLL)", "DE (MSE)", "DARE"]


def tiny() -> list[Recipe]:
    chosen = recipes()
    for recipe in chosen:
        recipe.model.set_params(n_members=2, hidden=(8,), epochs=2)
    return chosen


@pytest.fixture(scope="module")
def outcomes():
    return [run(recipe, 3) for recipe in tiny()]


@pytest.fixture(scope="module")
def folder(outcomes, tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    write(folder, outcomes, 3, folder / "picture.svg")
    return folder


def an_outcome(method: str, numbers: dict[str, float]) -> Outcome:
    model = recipes()[0].model
    return Outcome(Recipe("two_moons", method, model), numbers, {}, [])


def test_recipes_are_the_three_methods_on_every_problem_as_specified():
    chosen = {(r.problem, r.method): r.model for r in recipes()}
    assert list(chosen) == [(p, m) for p in PROBLEMS for m in METHODS]
    for problem in PROBLEMS[:3]:
        for method in METHODS:
            model = chosen[problem, method]
            assert (model.n_members, model.batch_size, model.scaling) == (
                20,
                32,
                "none",
            )
    assert chosen["two_moons", "DARE"].method.threshold == 0.001
    assert chosen["one_dimensional", "DARE"].method.threshold == 0.1
    assert [chosen[p, "DARE"].epochs for p in PROBLEMS] == [500, 500, 1000, None]
    assert chosen["one_dimensional", "DE (MSE)"].scaling == "none"
    assert chosen["digits", "DARE"].get_params(False) | {"method": "dare"} == type(
        chosen["digits", "DARE"]
    )().get_params(False)


def test_page_loads_nothing_from_elsewhere(folder):
    text = (folder / "index.html").read_text()
    assert (
        text.count("<svg") == 15
    )  # three methods, two maps of the moons, three others
    assert not re.search(r"src=|href=|http", text)
    assert len(text) < 3_000_000


def test_page_and_csv_hold_the_same_numbers(folder):
    rows = list(csv.DictReader((folder / "numbers.csv").read_text().splitlines()))
    assert len(rows) == len(PROBLEMS) * len(METHODS) * 4
    assert {row["seed"] for row in rows} == {"3"}
    text = unescape(re.sub(r"</?strong>", "", (folder / "index.html").read_text()))
    for row in rows:
        columns = {column.name: column for column in STORIES[row["problem"]].columns}
        number = {row["metric"]: float(row["value"])}
        shown = columns[row["metric"]].text(an_outcome(row["method"], number))
        assert f"<td>{shown}</td>" in text


def test_files_are_written_under_their_final_name_only(folder):
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["index.html", "numbers.csv", "picture.svg"]
    assert (folder / "picture.svg").stat().st_size < 150_000


def test_a_page_that_cannot_be_made_leaves_the_last_one_alone(folder, outcomes):
    before = {path: path.read_bytes() for path in folder.iterdir()}
    nothing_to_draw = replace(outcomes[-1], drawing={})
    with pytest.raises(KeyError):
        write(folder, [*outcomes[:-1], nothing_to_draw], seed=4)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_training_side_by_side_gives_the_numbers_of_training_alone(outcomes):
    chosen = [recipe for recipe in tiny() if recipe.problem == "one_dimensional"]
    alone = [o for o in outcomes if o.recipe.problem == "one_dimensional"]
    together = train(chosen, seed=3)
    assert [o.recipe.method for o in together] == METHODS
    assert numbers_csv(together, 3) == numbers_csv(alone, 3)
    assert html(together, 3) == html(alone, 3)
    assert together[0].numbers != run(chosen[0], 4).numbers


def test_unseen_digits_are_in_no_training_row():
    split = digits(0)
    assert not np.isin(split.train.y, UNSEEN).any()
    assert not np.isin(split.test.y, UNSEEN).any()
    assert np.isin(split.ood["unseen digits"].y, UNSEEN).all()


def test_page_says_where_dare_is_beaten_and_what_training_said():
    columns = STORIES["digits"].columns
    names = [column.name for column in columns]
    best = an_outcome("DE (NLL)", dict(zip(names, [0.9, 0.5, 0.05, 1.0], strict=True)))
    dare = an_outcome("DARE", dict(zip(names, [0.8, 0.6, 0.04, 1.0], strict=True)))
    dare.advice.append("Train <longer>.")
    story = STORIES["digits"]
    part = shown(type(story)("Title", "Text", [], columns, "Note."), [best, dare])
    assert part["note"].replace("\N{NO-BREAK SPACE}", " ") == (
        "Note. DARE is beaten here in accuracy (80.0 % against 90.0 %) and false "
        "alarms (4.0 % against 5.0 %)."
    )
    assert part["advice"] == [("DARE", "Train <longer>.")]


def test_what_training_said_is_escaped(outcomes):
    said = replace(outcomes[0], advice=["Train <longer>."])
    assert "DE (NLL): “Train &lt;longer&gt;.”" in html([said, *outcomes[1:]], 3)


def test_the_number_nearest_the_ideal_stands_out_and_ties_share():
    outcomes = [an_outcome("DARE", {"a": value}) for value in (0.1, 0.3, 0.3001)]
    assert Column("a", "A", "{:.2f}").best(outcomes) == {"0.30"}
    assert Column("a", "A", "{:.2f}", ideal=0.0).best(outcomes) == {"0.10"}
    assert Column("a", "A", ideal=None).best(outcomes) == set()
