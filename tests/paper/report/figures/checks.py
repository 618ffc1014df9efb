"""What holds of every picture of the page."""

import re
from xml.etree import ElementTree

from antireg.report.pictures import COLOURS


def assert_small_and_in_colours_of_the_page(draw, most_bytes):
    drawn = draw().file()
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert drawn == draw().file(), "same numbers, same picture"
    assert len(drawn) < most_bytes
    text = draw().__html__()
    assert not re.search(r"#[0-9a-f]{3}|white|black", text)
    assert set(re.findall(r"--(\w+)", text)) <= COLOURS.keys()
