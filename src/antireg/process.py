"""What a process has only once, and fits, predictions and forks share.

PyTorch's number of threads, its modes and its random numbers belong to the caller: all
are set for the time of a call and given back, whatever happens in it. Nothing here
wakes PyTorch's own threads: a fork would lose them, and wait for them for ever.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_turn = threading.RLock()
"""Trainings take turns: they draw from the random numbers of the process."""

_brief = threading.Lock()
"""Held while the count of calls on one thread changes, never for long."""


class _Here(threading.local):
    """What is true of a thread."""

    single = False
    """Whether it is within `one_thread`."""


class _Count:
    """Calls within `one_thread` now, of all threads, and the threads they found."""

    now = 0
    found = 1


_here = _Here()
_count = _Count()


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread: more of them would round otherwise, and share small work badly.

    A second one saves a quarter of the time at best, and where another process holds
    its core the first waits for it: then small steps take up to thirty times as long.
    """
    if _here.single:
        yield
        return
    before = _enter()
    try:
        yield
    finally:
        _leave(before)


def stay_on_one_thread() -> None:
    """Let this thread, which ends with its work, never share its operations out."""
    _here.single = True
    torch.set_num_threads(1)


def _enter() -> int:
    """Set one thread; return what to set when the call is over."""
    with _brief:
        before = torch.get_num_threads()
        if not _count.now:
            _count.found = before
        elif before == 1:
            # A thread starts with the number that was set last, in whatever thread.
            before = _count.found
        _count.now += 1
        _here.single = True
        torch.set_num_threads(1)
    return before


def _leave(before: int) -> None:
    with _brief:
        _count.now -= 1
        _here.single = False
        torch.set_num_threads(before)


@contextmanager
def own_modes() -> Iterator[None]:
    """Compute as by default, whatever modes the caller's thread is in."""
    with (
        torch.inference_mode(False),
        torch.enable_grad(),
        torch.autocast("cpu", enabled=False),
        one_thread(),
    ):
        yield


@contextmanager
def training() -> Iterator[None]:
    """Train alone in this process, and leave all of it as it was found.

    Others that train wait. The random numbers of the process may be seeded within.
    """
    with (
        _turn,
        own_modes(),
        single_precision(),
        flushed_denormals(),
        torch.random.fork_rng(),
    ):
        yield


@contextmanager
def drawing(seed: int) -> Iterator[None]:
    """Draw from the random numbers of the process, as if it had been so seeded."""
    with _turn, single_precision(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


@contextmanager
def single_precision() -> Iterator[None]:
    """Make new tensors float32, those a user's own module makes too."""
    before = torch.get_default_dtype()
    if before == torch.float32:
        yield
        return
    torch.set_default_dtype(torch.float32)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextmanager
def flushed_denormals() -> Iterator[None]:
    """Treat numbers below 1e-38 as zero: Adam's averages of unused weights get there.

    They are of no use, and arithmetic on them is several times slower.
    """
    before = _flushes_denormals()
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)


def _flushes_denormals() -> bool:
    """Return whether this thread does so already; PyTorch cannot be asked."""
    smallest = torch.tensor(1e-40, dtype=torch.float32)
    return (smallest * 1.0).item() == 0.0


def _start_child() -> None:
    """Forget the other threads: only the one that forked lives on."""
    global _turn  # noqa: PLW0603
    _turn = threading.RLock()
    _count.now = int(_here.single)
    _brief.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_brief.acquire,
        after_in_parent=_brief.release,
        after_in_child=_start_child,
    )
