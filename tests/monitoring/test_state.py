import json

import pytest

from antireg.monitoring import state
from antireg.monitoring.betting import N_BETS

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
    ],
    ids=str,
)  # fmt: skip
def test_a_damaged_state_is_refused_in_one_sentence(tmp_path, change):
    path = tmp_path / "state.json"
    state.write(GOOD, path)
    values = json.loads(path.read_text()) | change
    path.write_text(json.dumps(values))
    with pytest.raises(ValueError, match="must be the state of a monitor, got"):
        state.read(path)


@pytest.mark.parametrize("content", [b"", b"[1", b"[]", b"{}", b"\xff"])
def test_what_is_no_state_is_refused(tmp_path, content):
    path = tmp_path / "state.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="Restore it from a copy, or remove it"):
        state.read(path)
