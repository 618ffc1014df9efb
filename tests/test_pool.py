"""Work goes to real processes; what comes back is found by its key."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np
import pytest
import torch

from antireg.data.base import Data
from antireg.data.stored import Stored
from antireg.losses import SquaredError
from antireg.methods import DeepEnsemble
from antireg.networks import mlp
from antireg.pool import Pool, Work
from antireg.relay import Leg, Task
from antireg.trainer import Settings

ENDLESS = """
import os
import numpy as np
from antireg import DeepEnsemble, EnsembleRegressor

class Tells(DeepEnsemble):
    def init(self, network, data, seeds):
        print(os.getpid(), flush=True)

X = np.zeros((500, 20))
EnsembleRegressor(Tells(), n_members=2, epochs=10**6, n_jobs=2).fit(X, np.ones(500))
"""


@dataclass
class Fails(DeepEnsemble):
    """A method that cannot be trained."""

    def init(self, network, data, seeds):
        raise OSError("No room.")


def task(first: int, n_members: int, last: int = 2) -> Task:
    members = range(first, first + n_members)
    settings = Settings(epochs=2, batch_size=4, lr=0.1, seeds=list(members))
    network = mlp([2, 3, 1], seeds=list(members))
    return Task(Leg(members, 0, last), network, settings, None, kept=False)


@pytest.fixture
def pool():
    data = Data(torch.rand(8, 2), torch.rand(8, 1))
    with Pool(data, data, SquaredError(), n_jobs=2) as pool:
        yield pool


def test_fits_are_found_by_key_and_first_member(pool: Pool) -> None:
    done = pool.run(
        {
            "a": Work(DeepEnsemble(), [task(3, 2), task(0, 1)], may_fail=False),
            "b": Work(DeepEnsemble(), [task(5, 1, last=1), task(6, 3)], may_fail=False),
        }
    )
    sizes = {k: {m: len(f.weights) for m, f in v.items()} for k, v in done.items()}
    # A leg that stops before its last epoch is no fit.
    assert sizes == {"a": {3: 2, 0: 1}, "b": {6: 3}}


def test_work_may_fail_where_others_can_do_without(pool: Pool) -> None:
    good = Work(DeepEnsemble(), [task(0, 1)], may_fail=True)
    done = pool.run({1: good, 2: Work(Fails(), [task(1, 1)], may_fail=True)})
    assert list(done[1]) == [0]
    assert isinstance(done[2], OSError)
    with pytest.raises(OSError, match="No room"):
        pool.run({1: good, 2: Work(Fails(), [task(1, 1)], may_fail=False)})


@dataclass(frozen=True)
class Looks(Task):
    """A task that tells where the numbers of its rows are."""

    def run(self, data, validation, loss, method):
        return str(getattr(data.x.places, "filename", None))


def test_numbers_of_rows_on_disk_are_sent_once(tmp_path) -> None:
    n_rows = 200_000
    places, strides = np.arange(n_rows), (8, 4)
    x = Stored(tmp_path / "x", np.dtype("f4"), 0, (n_rows, 2), strides, places)
    data = Data(x, torch.zeros(n_rows, 1))
    one, other = (Looks(**vars(task(first, 1))) for first in (0, 1))
    with Pool(data, data, SquaredError(), n_jobs=2) as pool:
        work = {k: Work(DeepEnsemble(), [t], False) for k, t in enumerate((one, other))}
        done = pool.run(work)
    # Both workers map one file.
    assert done[0][0] == done[1][1] != "None"


def test_workers_end_with_the_process_that_made_them() -> None:
    command = [sys.executable, "-c", ENDLESS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = [int(parent.stdout.readline()) for _ in range(2)]
        assert parent.pid not in workers
        parent.kill()
    deadline = time.monotonic() + 20
    while any(is_there(pid) for pid in workers):
        assert time.monotonic() < deadline, "they go on without anyone to work for"
        time.sleep(0.1)


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
