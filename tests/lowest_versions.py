"""The lowest versions that pyproject.toml allows, as pip takes them.

PyTorch is left out: the package index has older builds with CUDA only. `make
test-lowest` installs the pinned one.
"""

import re
import tomllib
from pathlib import Path

NOT_LOWEST = ("torch",)


def lowest_versions():
    """Return `name==version` of each requirement that names its lowest version."""
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text()
    project = tomllib.loads(text)["project"]
    required = list(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        required += extra
    found = [re.fullmatch(r"([\w-]+)>=([\d.]+)", one) for one in required]
    pairs = {match[1]: match[2] for match in found if match}
    return [f"{name}=={pairs[name]}" for name in pairs if name not in NOT_LOWEST]


if __name__ == "__main__":
    print("\n".join(lowest_versions()))
