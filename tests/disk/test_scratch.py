import subprocess
import sys
import time
from pathlib import Path

import pytest

from antireg.disk.scratch import scratch
from tests.systems import KILLS

KILLED = """
import os, signal
from antireg.disk.scratch import scratch

with scratch() as folder:
    (folder / "file").write_text("left behind")
    print(folder, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_folder_is_there_for_a_while(tmp_path: Path) -> None:
    with scratch(tmp_path) as folder:
        (folder / "file").write_text("some")
        assert folder.parent == tmp_path
    assert not folder.exists()


def test_it_goes_when_something_fails(tmp_path: Path) -> None:
    with pytest.raises(KeyError), scratch(tmp_path):
        raise KeyError
    assert list(tmp_path.iterdir()) == []


@KILLS
def test_it_goes_with_a_process_that_is_killed() -> None:
    killed = subprocess.run(
        [sys.executable, "-c", KILLED], capture_output=True, text=True, check=False
    )
    folder = Path(killed.stdout.strip())
    assert folder.name.startswith("antireg-")
    deadline = time.monotonic() + 120  # of a machine that is very busy
    while folder.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not folder.exists()


def test_a_program_with_python_in_it_is_not_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "not to be started"))
    with scratch(tmp_path) as folder:
        assert folder.is_dir()
    assert not folder.exists()
