"""The page of the demo stands alone, with a picture for each method."""

import re
from dataclasses import replace
from html import unescape
from xml.etree import ElementTree

from antireg.paper.demo.story import STORIES, html, readme_picture
from tests.paper.demo.small import PROBLEMS, SEED


def test_every_problem_has_its_story_in_order():
    assert list(STORIES) == PROBLEMS


def test_the_page_loads_nothing_from_elsewhere(outcomes):
    text = html(outcomes, SEED)
    assert text.count("<svg") == 20  # four methods, two maps of the moons, three others
    assert not re.search(r"src=|href=|http", text)
    assert len(text) < 1_000_000


def test_the_page_holds_every_number_of_every_column(outcomes):
    text = unescape(re.sub(r"</?strong>", "", html(outcomes, SEED)))
    for outcome in outcomes:
        for column in STORIES[outcome.problem].columns:
            assert f"<td>{column.text(outcome)}</td>" in text


def test_the_page_shows_only_problems_that_were_trained(outcomes):
    text = html([o for o in outcomes if o.problem == "digits"], SEED)
    assert STORIES["digits"].title in text
    assert STORIES["two-moons"].title not in text
    assert f"Seed {SEED}." in text


def test_the_picture_of_the_readme_is_small(outcomes):
    picture = readme_picture(outcomes).file()
    assert ElementTree.fromstring(picture).get("viewBox").startswith("0 0 1200 ")
    assert len(picture) < 200_000


def test_warnings_of_training_are_shown_with_their_method_and_escaped(outcomes):
    said = replace(outcomes[0], advice=["Train <longer>."])
    text = html([said, *outcomes[1:]], SEED)
    assert f"Warning when training {said.method}: “Train &lt;longer&gt;.”" in text
