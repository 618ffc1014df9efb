"""Who is measured: the library and what people would use instead."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, NamedTuple

import threadpoolctl
import torch
from benchmarks.speed import loops, ours, scikit


class Contestant(NamedTuple):
    """A way to train and to predict, on so many cores.

    Attributes:
        name: As in the tables.
        cores: Threads it may use, or processes.
        train: From a size, its rows and its validation rows to something trained.
        predict: From that and inputs to a prediction.
    """

    name: str
    cores: int
    train: Callable[..., Any]
    predict: Callable[..., Any]


OURS = "antireg"
TUTORIAL = "PyTorch, tutorial loop"
LEAN = "PyTorch, lean loop"
SCIKIT = "scikit-learn"
TORCH_UNCERTAINTY = "torch-uncertainty"


def contestants() -> list[Contestant]:
    """Return everyone who is installed, on one core and on two."""
    found = []
    for cores in (2, 1):
        mine = partial(ours.train, n_jobs=cores)
        tutorial, lean = loops.predict_by_loader, loops.predict_at_once
        found += [
            Contestant(OURS, cores, mine, ours.predict),
            Contestant(TUTORIAL, cores, loops.tutorial, tutorial),
            Contestant(LEAN, cores, loops.lean, lean),
            Contestant(SCIKIT, cores, scikit.train, scikit.predict),
        ]
        try:
            from benchmarks.speed import torch_uncertainty  # noqa: PLC0415
        except ImportError as error:
            print(f"{TORCH_UNCERTAINTY}: not installed ({error})")
            continue
        train, predict = torch_uncertainty.train, torch_uncertainty.predict
        found.append(Contestant(TORCH_UNCERTAINTY, cores, train, predict))
    return found


@contextmanager
def on_cores(cores: int) -> Any:
    """Let PyTorch and NumPy use so many threads."""
    before = torch.get_num_threads()
    with ExitStack() as stack:
        stack.enter_context(threadpoolctl.threadpool_limits(cores))
        torch.set_num_threads(cores)
        stack.callback(torch.set_num_threads, before)
        yield
