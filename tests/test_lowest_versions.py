import re
from pathlib import Path

from tests.lowest_versions import lowest_versions


def test_every_lower_bound_is_tried() -> None:
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text()
    bounds = set(re.findall(r'"([\w-]+)>=([\d.]+)"', text))
    wanted = [f"{name}=={low}" for name, low in bounds]
    assert sorted(lowest_versions()) == sorted(wanted)
    assert any(one.startswith("torch==") for one in wanted)
