"""Examples are run as a user runs them."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "examples" / "loops"
NEEDS = {"dare_in_lightning": "lightning", "dare_in_skorch": "skorch"}
"""What is not installed with antireg: the extra `examples`."""


@pytest.mark.parametrize("path", sorted(FOLDER.glob("dare_*.py")), ids=lambda p: p.stem)
def test_an_example_is_short_and_ends_with_a_flag(path: Path, tmp_path: Path) -> None:
    assert len(path.read_text().splitlines()) < 40
    needed = NEEDS.get(path.stem, "torch")
    if find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed: pip install 'antireg[examples]'")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines()[-1] == "[False  True]"
    assert list(tmp_path.iterdir()) == []  # it leaves nothing behind
