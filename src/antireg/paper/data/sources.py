"""Where data files come from: the canonical host here, packages in packages.py.

A source writes files into a folder. A file appears there under its name only once it
is complete and its checksum is right; whatever goes wrong raises an OSError.
"""

from __future__ import annotations

import http
import http.client
import os
import urllib.error
import urllib.parse
import urllib.request
from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pooch
from tqdm import tqdm

from antireg.paper.data.files import BLOCK, File

TIMEOUT = 30.0


class Source(ABC):
    """A way to get the files of a data set."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What is fetched from where, as a user would type it."""

    @abstractmethod
    def fetch(self, files: tuple[File, ...], folder: Path) -> None:
        """Write the files into the folder."""


class Download(Source):
    """The canonical addresses; an interrupted download resumes where it stopped."""

    @property
    def title(self) -> str:
        """Return the name of this source."""
        return "canonical download"

    def fetch(self, files: tuple[File, ...], folder: Path) -> None:
        """Download the files that are not there yet."""
        pooch.get_logger().setLevel("WARNING")  # the progress bar says the same
        for file in files:
            path = folder / file.name
            if path.is_file() and file.matches(path):
                continue
            path.unlink(missing_ok=True)
            resume = Resume(file, path.with_name(path.name + ".part"))
            try:
                # No hash for pooch: `resume` checks, and knows several.
                pooch.retrieve(
                    file.url, None, path.name, path.parent, downloader=resume
                )
            except (OSError, http.client.HTTPException, ValueError) as error:
                reason = getattr(error, "reason", error)
                raise OSError(f"{file.url}: {reason}") from error


@dataclass(frozen=True)
class Resume:
    """A pooch downloader that keeps what it has when the connection breaks.

    Args:
        file: What is expected; other bytes are refused, and so are extra ones.
        part: Holds the bytes received so far.
    """

    file: File
    part: Path

    def __call__(self, url: str, output_file: Any, pooch: Any) -> None:
        """Download `url` to `output_file`, resuming from `part`."""
        if not self._is_complete():
            self._receive(url)
            if not self._is_complete():
                raise OSError("the host sent other bytes than the checksum asks for")
        os.replace(self.part, output_file)

    def _is_complete(self) -> bool:
        """Return whether all bytes are there; wrong ones are deleted."""
        if not self.part.exists() or self._n_bytes() < self.file.size:
            return False
        if self.file.matches(self.part):
            return True
        self.part.unlink()
        return False

    def _n_bytes(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def _receive(self, url: str) -> None:
        """Append to the part what the host sends."""
        start = self._n_bytes()
        with _opened(url, start) as answer:
            # A host without ranges answers 200 and sends everything from the start.
            start = start if _starts_at(answer, start) else 0
            said = answer.headers["Content-Length"]
            total = self.file.size if said is None else start + int(said)
            if self.file.size and total != self.file.size:
                raise OSError(f"the host has {total} bytes of {self.file.size}")
            with (
                self.part.open("ab" if start else "wb") as file,
                progress(self.part.stem, total, start) as bar,
            ):
                n_bytes = start
                while block := answer.read(BLOCK):
                    n_bytes += len(block)
                    if self.file.size and n_bytes > self.file.size:
                        break
                    file.write(block)
                    bar.update(len(block))
        if self.file.size and n_bytes > self.file.size:
            self.part.unlink()
            raise OSError(f"the host sent more than {self.file.size} bytes")
        if n_bytes < total:
            raise OSError("the connection broke; the next try resumes from there")


def _starts_at(answer: Any, start: int) -> bool:
    """Return whether an answer starts at that byte."""
    said = answer.headers["Content-Range"] or ""
    return answer.status == 206 and said.startswith(f"bytes {start}-")


def _opened(url: str, start: int) -> Any:
    """Return the host's answer, starting at that byte if it supports ranges."""
    _check_address(url)
    headers = {"Range": f"bytes={start}-"} if start else {}
    request = urllib.request.Request(url, headers=headers)
    opener = urllib.request.build_opener(_SafeRedirects)
    try:
        return opener.open(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code != http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE or not start:
            raise
    # The host's file is shorter than ours, so ours is another file: start again.
    return _opened(url, 0)


class _SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but only to encrypted addresses."""

    def redirect_request(
        self, request: Any, answer: Any, *given: Any
    ) -> urllib.request.Request | None:
        """Return the request for the new address, which is the last argument."""
        try:
            _check_address(given[-1])
        except OSError:
            answer.close()
            raise
        return super().redirect_request(request, answer, *given)


def _check_address(url: str) -> None:
    parts = urllib.parse.urlsplit(url)
    here = parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost")
    if parts.scheme != "https" and not here:
        raise OSError(f"only https addresses are read, got {url}")


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
        module: Has a function `extract(folder)`; imported only when it runs, so that
            loading data does not import torch.
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
    """Files that only the user can get.

    Args:
        what: What the user must do.
    """

    what: str

    @property
    def title(self) -> str:
        """Return what to do."""
        return f"by hand: {self.what}"

    def fetch(self, files: tuple[File, ...], folder: Path) -> None:
        """Raise: the user has not done it yet."""
        raise FileNotFoundError("not done yet")
