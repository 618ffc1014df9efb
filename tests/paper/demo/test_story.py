"""The page of the demo stands alone, with a picture for each method."""

import io
import re
from html import unescape

from PIL import Image

from antireg.paper.demo.story import STORIES, html, readme_picture
from tests.paper.demo.small import PROBLEMS, SEED


def test_every_problem_has_its_story_in_order():
    assert list(STORIES) == PROBLEMS


def test_the_page_loads_nothing_from_elsewhere(outcomes):
    text = html(outcomes, SEED)
    sources = re.findall(r'(?:src|href)="([^"]*)"', text)
    assert len(sources) == 15  # three methods, two maps of the moons, three others
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert "http" not in text
    assert len(text) < 3_000_000


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
    picture = readme_picture(outcomes)
    assert Image.open(io.BytesIO(picture)).width == 900
    assert len(picture) < 150_000
