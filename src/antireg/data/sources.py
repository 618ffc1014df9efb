"""Where data files come from; here the canonical host, in packages.py the packages.

A source writes files into a folder. A file appears there under its name only once it
is complete and its checksum is right; whatever goes wrong is an OSError.
"""

from __future__ import annotations

import http.client
import os
import urllib.request
from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pooch
from tqdm import tqdm

from antireg.data.files import BLOCK, File

TIMEOUT = 30.0


class Source(ABC):
    """A way to get the files of a data set."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What is fetched from where, as a person would type it."""

    @abstractmethod
    def fetch(self, files: tuple[File, ...], folder: Path) -> None:
        """Write the files into the folder."""


class Download(Source):
    """The canonical addresses; an interrupted download goes on where it stopped."""

    @property
    def title(self) -> str:
        """Return the name of this source."""
        return "canonical download"

    def fetch(self, files: tuple[File, ...], folder: Path) -> None:
        """Download the files that are not there yet."""
        pooch.get_logger().setLevel("WARNING")  # the bar says what the log would
        for file in files:
            path = folder / file.name
            if path.is_file() and file.matches(path):
                continue
            path.unlink(missing_ok=True)
            resume = Resume(file, path.with_name(path.name + ".part"))
            try:
                # No hash for pooch: it knows no shortened ones, `resume` checks.
                pooch.retrieve(
                    file.url, None, path.name, path.parent, downloader=resume
                )
            except (OSError, http.client.HTTPException) as error:
                reason = getattr(error, "reason", error)
                raise OSError(f"{file.url}: {reason}") from error


@dataclass(frozen=True)
class Resume:
    """A pooch downloader that keeps what it got when the line is cut.

    Args:
        file: What is to come; other bytes are refused.
        part: Holds the bytes so far, until all are there.
    """

    file: File
    part: Path

    def __call__(self, url: str, output_file: Any, pooch: Any) -> None:
        """Download `url` to `output_file`, going on from `part`."""
        start = self.part.stat().st_size if self.part.exists() else 0
        request = urllib.request.Request(url, headers={"Range": f"bytes={start}-"})
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            # A host that knows no ranges answers 200 and sends all from the start.
            start = start if answer.status == 206 else 0
            total = start + int(answer.headers["Content-Length"])
            with (
                self.part.open("ab" if start else "wb") as file,
                progress(self.part.stem, total, start) as bar,
            ):
                while block := answer.read(BLOCK):
                    file.write(block)
                    bar.update(len(block))
        if self.part.stat().st_size < total:
            raise OSError("the line was cut; the next try goes on from there")
        if not self.file.matches(self.part):
            self.part.unlink()
            raise OSError("the host sent other bytes than the checksum asks for")
        os.replace(self.part, output_file)


def progress(title: str, total: int, start: int = 0) -> tqdm[Any]:
    """Return a progress bar over bytes, shown only to a person at a terminal."""
    return tqdm(
        desc=title,
        total=total,
        initial=start,
        unit="B",
        unit_scale=True,
        disable=None,
    )


@dataclass(frozen=True)
class Made(Source):
    """Files computed from other data sets.

    Args:
        how: In words.
        module: Has a function `extract(folder)`; imported only when it is to run, so
            that loading data does not load torch.
    """

    how: str
    module: str

    @property
    def title(self) -> str:
        """Return how the files are made."""
        return f"made {self.how}"

    def fetch(self, files: tuple[File, ...], folder: Path) -> None:
        """Compute the files and write them into the folder."""
        import_module(self.module).extract(folder)


@dataclass(frozen=True)
class ByHand(Source):
    """No program can get these files; a person can.

    Args:
        what: What the person does.
    """

    what: str

    @property
    def title(self) -> str:
        """Return what to do."""
        return f"by hand: {self.what}"

    def fetch(self, files: tuple[File, ...], folder: Path) -> None:
        """Refuse: the person has not done it yet."""
        raise FileNotFoundError("not done yet")
