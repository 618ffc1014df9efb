"""Public names of a package that are imported when they are first used.

So that `import antireg` and `antireg --help` do not wait for PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def on_first_use(
    package: Any, homes: Mapping[str, Sequence[str]], modules: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and the `__dir__` of a package.

    Args:
        package: The `globals()` of the package, where names are put once imported.
        homes: Modules of the package, and the names that are in each.
        modules: Modules of the package that are public themselves.
    """
    own = package["__name__"]
    home_of = {name: module for module, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name in home_of:
            package[name] = getattr(import_module(f"{own}.{home_of[name]}"), name)
        elif name in modules:
            package[name] = import_module(f"{own}.{name}")
        else:
            raise AttributeError(f"module {own!r} has no attribute {name!r}")
        return package[name]

    def names() -> list[str]:
        return sorted({*package, *home_of, *modules})

    return get, names
