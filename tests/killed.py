"""Work that is killed in a process of its own.

At a time, or at a call that is counted. Calls of Python and of C are counted where code
of ours makes them, so that a kill comes before any of them: before a write, between a
write and a flush, before a rename.
"""

import json
import os
import shutil
import signal
import sys
import threading
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np

import antireg

OURS = str(Path(antireg.__file__).parent)
WRITERS = tuple(
    os.path.join(OURS, *parts)
    for parts in (
        ("disk", ""),
        ("storage", ""),
        ("tables", "writing.py"),
        ("training", "checkpoint.py"),
        ("estimators", "saving.py"),
        ("monitoring", "state.py"),
    )
)
"""Where files are written: half of all kills are to come there."""

PLACES = {"anywhere": (OURS,), "where files are written": WRITERS}


class Counter:
    """Counts calls by the place they are made at, and ends the process at one of them.

    Args:
        place: One of `PLACES`.
        last: Number of the call made there to be killed at; None to count only.
    """

    def __init__(self, place, last):
        self.place, self.last = place, last
        self.seen = dict.fromkeys(PLACES, 0)

    def __call__(self, frame, event, _):
        if not event.endswith("call"):
            return
        for place, files in PLACES.items():
            self.seen[place] += frame.f_code.co_filename.startswith(files)
        if self.seen[self.place] == self.last:
            os.kill(os.getpid(), signal.SIGKILL)


def forked(work):
    """Return the id of a process that does some work, and ends.

    It is forked, as a new interpreter would take seconds.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads
        child = os.fork()
    if child:
        return child
    try:
        work()
        os._exit(0)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        # Never return: what the parent has planned is not the child's to do.
        os._exit(1)


def kill_when(ready, work):
    """Do work in a process that is killed when `ready()`, if it has not ended."""
    child = forked(work)
    while not ready():
        if os.waitpid(child, os.WNOHANG)[0]:
            return
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def run(work, place="anywhere", last=None):
    """Run work in a process; return its calls by place, None if it was killed."""
    receiving, sending = os.pipe()
    child = forked(partial(_counted, work, Counter(place, last), sending))
    os.close(sending)
    with os.fdopen(receiving, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return None
    assert status == 0, "the work itself failed"
    return json.loads(said)


def _counted(work, counter, sending):
    threading.setprofile(counter)
    sys.setprofile(counter)
    try:
        work()
    finally:
        sys.setprofile(None)
    os.write(sending, json.dumps(counter.seen).encode())


def killed_folders(prepare, work, n_points, tmp_path):
    """Yield folders in which work was killed, each at another random point.

    A work that makes fewer calls than before may end before its point: then it is
    yielded as it ended. That more than half are killed is checked.

    Args:
        prepare: Fills an empty folder with what is there before.
        work: Is given the folder.
        n_points: How many folders.
        tmp_path: Where they are.
    """

    def fresh(name):
        folder = tmp_path / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        prepare(folder)
        return folder

    rng, kills = np.random.default_rng(0), 0
    calls = run(partial(work, fresh("counted")))
    for number in range(n_points):
        place = list(PLACES)[number % 2]
        last = int(rng.integers(1, calls[place] + 1))
        folder = fresh("killed")
        kills += run(partial(work, folder), place, last) is None
        yield folder
    assert kills > n_points / 2, f"{kills} of {n_points} were killed"
