"""The lowest versions that pyproject.toml allows, as pip takes them.

PyTorch's is large: the package index has older builds with CUDA only.
"""

import re
import tomllib
from pathlib import Path


def lowest_versions():
    """Return `name==version` of each requirement that names its lowest version."""
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text()
    project = tomllib.loads(text)["project"]
    required = list(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        required += extra
    found = [re.fullmatch(r"([\w-]+)>=([\d.]+)", one) for one in required]
    pairs = {match[1]: match[2] for match in found if match}
    return [f"{name}=={version}" for name, version in pairs.items()]


if __name__ == "__main__":
    print("\n".join(lowest_versions()))
