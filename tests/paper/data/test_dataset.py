import threading
import time
from dataclasses import dataclass

import pytest

from antireg.paper.data.dataset import Dataset, Form
from antireg.paper.data.files import File
from antireg.paper.data.sources import ByHand, Download, Source


@dataclass(frozen=True)
class Writer(Source):
    """Writes every file after a while, and counts how often it was asked."""

    asked: list
    title = "writer"

    def fetch(self, files, folder):
        self.asked.append(1)
        time.sleep(0.1)
        for file in files:
            (folder / file.name).parent.mkdir(exist_ok=True)
            (folder / file.name).touch()


ONE = (File("set/a", "", 1), File("set/b", "", 2))
OTHER = (File("set/c", "", 4),)


def dataset(*forms):
    return Dataset("little", "a few bytes", "none", forms)


def test_the_next_source_is_tried_and_asked_only_once(folder):
    asked = []
    little = dataset(Form(ONE, ByHand("write them")), Form(OTHER, Writer(asked)))
    assert little.find() is None
    assert little.get() == little.get() == {"c": folder / "set" / "c"}
    assert asked == [1]


def test_a_download_that_fails_is_followed_by_the_next_source(folder):
    asked = []
    lost = (File("set/d", "sha256:00", 4, "http://example.org/d"),)
    little = dataset(Form(lost, Download()), Form(OTHER, Writer(asked)))
    assert little.get() == {"c": folder / "set" / "c"}
    assert asked == [1]


def test_a_form_counts_only_when_whole(folder):
    little = dataset(Form(ONE, ByHand("write them")))
    (folder / "set").mkdir()
    (folder / "set" / "a").touch()
    assert little.find() is None
    (folder / "set" / "b").touch()
    assert little.find() == {name: folder / "set" / name for name in "ab"}


def test_nothing_found_is_one_sentence_with_a_way_out(folder):
    little = dataset(Form(ONE, ByHand("write them")))
    message = (
        f"little could not be fetched from {folder}, by hand: write them .not done "
        f"yet.: put a, b into {folder}/set, .* ANTIREG_DATA names.$"
    )
    with pytest.raises(FileNotFoundError, match=message):
        little.get()


def test_two_at_once_fetch_once(folder):
    asked = []
    little = dataset(Form(OTHER, Writer(asked)))
    threads = [threading.Thread(target=little.get) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert asked == [1]
