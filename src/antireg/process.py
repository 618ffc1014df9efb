"""State that a process has only once, and that fits, predictions and forks share.

PyTorch's number of threads, its modes and its random numbers belong to the caller: they
are set during a call and restored after it, whatever happens. Nothing here starts
PyTorch's own threads: a forked process would not have them, and wait for them forever.
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
"""Held briefly, while the count of calls on one thread changes."""


class _Here(threading.local):
    """The state of one thread."""

    single = False
    """Whether it is inside `one_thread`."""


class _Count:
    """How many calls are inside `one_thread`, and the number of threads before."""

    now = 0
    found = 1


_here = _Here()
_count = _Count()


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread: more would round differently, and divide small work badly.

    A second thread saves a quarter of the time at best, and if another process occupies
    its core, the first waits: small steps then take up to thirty times as long.
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
    """Run all operations of this thread on one thread until it ends."""
    _here.single = True
    torch.set_num_threads(1)


def _enter() -> int:
    """Set one thread; return the number to restore after the call."""
    with _brief:
        before = torch.get_num_threads()
        if not _count.now:
            _count.found = before
        elif before == 1:
            # A new thread inherits the number that any thread set last.
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
    """Compute in PyTorch's default modes, whatever the caller has set."""
    with (
        torch.inference_mode(False),
        torch.enable_grad(),
        torch.autocast("cpu", enabled=False),
        one_thread(),
    ):
        yield


@contextmanager
def training() -> Iterator[None]:
    """Train alone in this process, and restore all its state afterwards.

    Other trainings wait. The process's random numbers may be seeded inside.
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
    """Draw from the process's random numbers as if it had this seed."""
    with _turn, single_precision(), torch.random.fork_rng(devices=[]):
        # Not `torch.manual_seed`: it takes a millisecond, and seeds devices too, which
        # nothing would restore.
        torch.default_generator.manual_seed(seed)
        yield


@contextmanager
def single_precision() -> Iterator[None]:
    """Make new tensors float32, including those of a user's own module."""
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
    """Treat numbers below 1e-38 as zero, as Adam's averages of unused weights become.

    They do no good, and arithmetic on them is several times slower.
    """
    before = _flushes_denormals()
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)


def _flushes_denormals() -> bool:
    """Return whether this thread flushes already; PyTorch does not tell."""
    smallest = torch.tensor(1e-40, dtype=torch.float32)
    return (smallest * 1.0).item() == 0.0


def _start_child() -> None:
    """Forget the other threads: only the one that forked exists in the child."""
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
