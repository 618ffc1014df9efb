"""A data set: its files, fetched from the first source that works."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from antireg.paper.data.files import File
from antireg.paper.data.sources import Source
from antireg.paper.data.where import VARIABLE, cache, folders


@dataclass(frozen=True)
class Form:
    """Files that together hold a data set, and the source that has them."""

    files: tuple[File, ...]
    source: Source

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    def find(self) -> dict[str, Path] | None:
        """Return the files by name, if all are in the data folders."""
        found = {Path(file.name).name: file.find() for file in self.files}
        paths = {name: path for name, path in found.items() if path is not None}
        return paths if len(paths) == len(found) else None


@dataclass(frozen=True)
class Dataset:
    """A data set and the forms it comes in, the preferred first.

    Args:
        name: What a person types to get it.
        about: What it holds.
        licence: As its authors state it.
        forms: Each one is enough.
    """

    name: str
    about: str
    licence: str
    forms: tuple[Form, ...]

    def find(self) -> dict[str, Path] | None:
        """Return the paths of the files by name, if one form is in the folders."""
        found = (form.find() for form in self.forms)
        return next((paths for paths in found if paths is not None), None)

    def get(self) -> dict[str, Path]:
        """Return the paths of the files by name, from the first source that works."""
        paths = self.find()
        if paths is not None:
            return paths
        tried = [str(folder) for folder in folders()]
        cache().mkdir(parents=True, exist_ok=True)
        # One process at a time fetches it; the lock of a killed one is released.
        with FileLock(cache() / f".{self.name}.lock"):
            for form in self.forms:
                paths = self.find()  # another process may just have fetched it
                if paths is not None:
                    return paths
                try:
                    form.source.fetch(form.files, cache())
                except OSError as error:
                    tried.append(f"{form.source.title} ({error})")
        paths = self.find()
        if paths is not None:
            return paths
        names = ", ".join(Path(file.name).name for file in self.forms[0].files)
        home = cache() / Path(self.forms[0].files[0].name).parent
        raise FileNotFoundError(
            f"{self.name} could not be fetched from {', '.join(tried)}: put {names} "
            f"into {home}, or into {home.name} in a folder that {VARIABLE} names."
        )
