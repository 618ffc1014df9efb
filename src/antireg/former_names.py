"""Modules that were public under another name can still be imported by it.

Both names give the same module object, so classes are the same under both. Importing by
the old name warns.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

FORMER = {
    "antireg.calibration": "antireg.predictive.probability_map",
    "antireg.data.base": "antireg.rows.data",
    "antireg.data.stored": "antireg.rows.stored",
    "antireg.data": "antireg.paper.data",
    "antireg.demo": "antireg.paper.demo",
    "antireg.detection": "antireg.familiarity.detection",
    "antireg.export": "antireg.onnx.export",
    "antireg.figures": "antireg.paper.report.figures.toy_charts",
    "antireg.paper.figures": "antireg.paper.report.figures.toy_charts",
    "antireg.provenance": "antireg.training.provenance",
    "antireg.scaling": "antireg.rows.scaling",
}
"""Old names and new ones; modules of a package move with it, except those listed before
it. Some are kept for pickled models."""

NAMESAKES = {
    "antireg.data.citycam": "antireg.paper.data.citycam_splits",
    "antireg.data.uci": "antireg.paper.data.uci_tables",
}
"""Modules that had the name of a function in their package. They come with it: imported
later, they would take the place of the function."""


class FormerNames(MetaPathFinder, Loader):
    """Finds a module by its old name.

    It must be asked first: other finders would find `antireg.data.toys` in the folder
    of its package, and make a second module of it.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: object = None
    ) -> ModuleSpec | None:
        """Return what loads the module, if the name is an old one."""
        return ModuleSpec(fullname, self) if now(fullname) else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module of the new name."""
        new = now(spec.name)
        assert new is not None
        warnings.warn(
            f"{spec.name} is now {new}. Import it by that name.",
            FutureWarning,
            stacklevel=2,
        )
        module = importlib.import_module(new)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module as it is, its own specification too."""
        assert module.__spec__ is not None
        name, module.__spec__ = module.__spec__.name, module.__spec__.loader_state
        for old, new in NAMESAKES.items():
            if old.rpartition(".")[0] == name:
                sys.modules[old] = importlib.import_module(new)


def now(name: str) -> str | None:
    """Return the new name of a module, None if it has none."""
    for old, new in FORMER.items():
        if name == old or name.startswith(f"{old}."):
            return new + name.removeprefix(old)
    return None


def install() -> None:
    """Let old names be found, once."""
    if not any(isinstance(finder, FormerNames) for finder in sys.meta_path):
        sys.meta_path.insert(0, FormerNames())
