import copy
import json

import numpy as np
import pytest

pytest.importorskip("resource", reason="memory is measured by `resource`")

from tests.fuzzing import mutations, running
from tests.fuzzing.mutations import spoiled_json
from tests.fuzzing.running import fuzz
from tests.fuzzing.tables import Table
from tests.fuzzing.targets import targets


def test_spoiled_files_are_refused_in_a_sentence_or_give_sound_answers(tmp_path):
    found = fuzz(targets(tmp_path), 270, seed=0)
    assert found.findings == []
    ends = {ending.partition(": ")[2] for ending in found.endings}
    assert ends == {"refused", "answered"}


def test_a_file_is_known_by_its_seed_and_number():
    content = json.dumps({"a": [1, {"b": []}], "c": {}}).encode()
    before = copy.deepcopy(mutations.VALUES)
    made = [spoiled_json(content, np.random.default_rng(n)) for n in range(300)]
    assert before == mutations.VALUES
    assert spoiled_json(content, np.random.default_rng(7)) == made[7]


def test_parquet_files_that_once_failed_unclearly_are_refused(tmp_path):
    spoiled = Table(tmp_path, "parquet")
    # Text that is no UTF-8, learned from and predicted; a column with fewer rows.
    for known in ([0, 4292], [1, 9512], [0, 15173]):
        spoiled.spoil(np.random.default_rng(known))
        with pytest.raises(ValueError, match=r"bad\.parquet") as caught:
            spoiled.use()
        assert type(caught.value) is ValueError


class Bad:
    """A target that breaks each promise in turn."""

    def spoil(self, rng):
        self.kind = self.kind + 1 if hasattr(self, "kind") else 0

    def use(self):
        if self.kind == 0:
            raise KeyError("name")
        if self.kind == 1:
            raise ValueError("x" * 2000 + ".")
        if self.kind == 2:
            raise UnicodeDecodeError("utf-8", b"", 0, 1, "bad.")
        if self.kind == 3:
            __import__("subprocess").run(["true"], check=True)
        if self.kind == 4:
            most = int(2**20 * running.megabytes())
            np.ones(most + 60 * 2**20, dtype=np.uint8)


def test_the_fuzzer_finds_what_breaks_a_promise(monkeypatch):
    monkeypatch.setattr(running, "MOST_MEGABYTES", 50)
    findings = fuzz({"bad": Bad()}, 6, seed=0).findings
    found = [(finding.number, finding.what.split()[0]) for finding in findings]
    assert found[:3] == [(0, "KeyError:"), (1, "no"), (2, "UnicodeDecodeError:")]
    assert (3, "ran") in found
    assert (4, "took") in found
    assert not [number for number, _ in found if number == 5]
