import json
import os

import pytest

from antireg.monitoring import state
from antireg.monitoring.betting import N_BETS
from tests.systems import POSIX

GOOD = state.State(
    model="m",
    level=0.01,
    random_state=0,
    rows=3,
    capital=[0.1] * N_BETS,
    gain=[0.0] * N_BETS,
    since=[4] * N_BETS,
    named=[0, 1],
    keys=[-1, 5],
    counts=[2, 1],
    alarm=[2, 1, "built"],
)


def test_a_state_is_read_as_it_was_written(tmp_path):
    state.write(GOOD, tmp_path / "state.json")
    assert state.read(tmp_path / "state.json") == GOOD


@pytest.mark.parametrize(
    "change",
    [
        {"level": 0}, {"level": "x"}, {"random_state": -1}, {"rows": 1.5},
        {"capital": [1.0]}, {"capital": [-1.0] * N_BETS}, {"gain": None},
        {"since": [0] * N_BETS}, {"named": [-1]}, {"keys": [5, -1]}, {"keys": [1]},
        {"counts": [0, 1]}, {"alarm": [1]}, {"alarm": [1, 1, 1]}, {"format": 2},
        {"model": 3}, {"more": 1}, {"rows": True}, {"capital": [1e400] * N_BETS},
        {"counts": [2**52, 2**52]}, {"counts": [1, 1]}, {"since": [5] * N_BETS},
        {"alarm": [5, 1]}, {"alarm": [1, 2]},
    ],
    ids=str,
)  # fmt: skip
def test_a_damaged_state_is_refused_in_one_sentence(tmp_path, change):
    path = tmp_path / "state.json"
    state.write(GOOD, path)
    values = json.loads(path.read_text()) | change
    del values["sha256"]
    path.write_text(json.dumps(values | {"sha256": state.checksum(values)}))
    with pytest.raises(ValueError, match="must be the state of a monitor, got"):
        state.read(path)


def test_every_changed_bit_of_a_state_is_noticed(tmp_path):
    path = tmp_path / "state.json"
    state.write(GOOD, path)
    content = path.read_bytes()
    for place in range(len(content)):
        for bit in range(8):
            changed = bytearray(content)
            changed[place] ^= 1 << bit
            path.write_bytes(changed)
            try:
                assert state.read(path) == GOOD  # a space for a line end, at most
            except ValueError as error:
                assert "must be the state of a monitor, got" in str(error)


@POSIX
def test_what_is_no_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")  # reading it would wait for ever
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(ValueError, match="no plain file"):
            state.read(path)


@pytest.mark.parametrize("content", [b"", b"[1", b"[]", b"{}", b"\xff"])
def test_what_is_no_state_is_refused(tmp_path, content):
    path = tmp_path / "state.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="Restore it from a copy, or remove it"):
        state.read(path)
