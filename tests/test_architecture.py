"""The page on the architecture names what is there, and its picture agrees with it."""

import re
from pathlib import Path

from tests.test_house import FLOORS, SOURCE

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text()
PICTURE = (ROOT / "docs" / "architecture.svg").read_text()
PATH = re.compile(r"`([\w/]+/(?:\w+\.py)?|\w+\.py)`")


def floors_shown() -> list[list[str]]:
    """Return the floors of every bar of the picture, from top to bottom."""
    names = re.findall(r'class="name"[^>]*>(.*?)</text>', PICTURE)
    return [name.split(" · ") for name in names]


def steps_of(walk: str) -> dict[int, str]:
    """Return the floor of the first file that each step of a walk names."""
    _, _, rest = PAGE.partition(f"\n## {walk}\n")
    text = rest.partition("\n## ")[0]
    steps = re.findall(r"^(\d+)\. (.*(?:\n   .*)*)", text, flags=re.MULTILINE)
    firsts = {int(number): PATH.search(step) for number, step in steps}
    return {
        number: first[1].split("/")[0].removesuffix(".py")
        for number, first in firsts.items()
        if first
    }


def stops_of(walk: str) -> dict[int, str]:
    """Return the floors that the picture says a walk passes, by the number of steps."""
    lane = re.search(rf'class="walk {walk}">(.*?)</g>', PICTURE, flags=re.DOTALL)
    assert lane
    bars = re.findall(r'<rect class="\w+" x="48" y="(\d+)"', PICTURE)
    bar_at = {int(y) + 15: names for y, names in zip(bars, floors_shown(), strict=True)}
    stops = re.findall(r'class="stop".*?y="(\d+)".*?<text.*?>([\d, ]+)<', lane[1])
    return {
        int(number): " ".join(bar_at[int(y) + 12])
        for y, numbers in stops
        for number in numbers.split(", ")
    }


def test_every_path_it_names_exists() -> None:
    paths = PATH.findall(PAGE)
    assert len(paths) > 30
    places = (SOURCE, ROOT)
    missing = [path for path in paths if not any((p / path).exists() for p in places)]
    assert missing == []


def test_the_picture_shows_the_floors_in_their_order() -> None:
    hidden = ("version", "first_use", "advice", "former_names", "__init__")
    shown = [name for names in floors_shown() for name in names]
    assert shown == [name for name in FLOORS if name not in hidden]


def test_the_picture_numbers_the_steps_of_the_walks() -> None:
    for walk, lane in (
        ("An array to its prediction", "first"),
        ("A CSV row to its flag", "second"),
    ):
        steps, stops = steps_of(walk), stops_of(lane)
        assert list(steps) == sorted(stops) == list(range(1, len(steps) + 1))
        for number, floor in steps.items():
            assert floor in stops[number].split(), f"step {number} of {walk!r}"
