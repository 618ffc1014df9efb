"""Work goes to real processes; what comes back is found by its key."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np
import pytest
import torch

from antireg.losses import SquaredError
from antireg.methods import DeepEnsemble
from antireg.networks import mlp
from antireg.parallel.pool import Pool, Work
from antireg.rows.data import Data
from antireg.rows.stored import Stored
from antireg.training.groups import Group
from antireg.training.problem import Problem, Settings
from tests.systems import POSIX

ENDLESS = """
import os
import numpy as np
from antireg import DeepEnsemble, EnsembleRegressor

class Tells(DeepEnsemble):
    def init(self, network, data, seeds):
        print(os.getpid(), flush=True)

X = np.zeros((500, 20))
EnsembleRegressor(Tells(), n_members=21, epochs=10**6, n_jobs=2).fit(X, np.ones(500))
"""


@dataclass
class Fails(DeepEnsemble):
    """A method that cannot be trained."""

    def init(self, network, data, seeds):
        raise OSError("No room.")


def work(method, members: range, may_fail: bool = False) -> Work:
    settings = Settings(epochs=2, batch_size=4, lr=0.1, seeds=list(range(9)))
    group = Group(members, mlp([2, 3, 1], seeds=list(members)))
    return Work(method, group, settings, may_fail)


@pytest.fixture
def pool():
    data = Data(torch.rand(8, 2), torch.rand(8, 1))
    with Pool(Problem(data, data, SquaredError()), n_jobs=2) as pool:
        yield pool


def test_groups_are_found_by_key(pool: Pool) -> None:
    sizes = {"a": range(3, 5), "b": range(1), "c": range(6, 9)}
    done = pool.run({k: work(DeepEnsemble(), members) for k, members in sizes.items()})
    assert {key: len(trained.weights) for key, trained in done.items()} == {
        key: len(members) for key, members in sizes.items()
    }


@dataclass
class Looks(DeepEnsemble):
    """A method that tells where the numbers of its rows are, as an error."""

    def init(self, network, data, seeds):
        raise ValueError(str(getattr(data.x.places, "filename", None)))


def test_numbers_of_rows_on_disk_are_sent_once(tmp_path) -> None:
    n_rows = 200_000
    places, strides = np.arange(n_rows), (8, 4)
    x = Stored(tmp_path / "x", np.dtype("f4"), 0, (n_rows, 2), strides, places)
    data = Data(x, torch.zeros(n_rows, 1))
    members = [range(1), range(1, 2)]
    with Pool(Problem(data, data, SquaredError()), n_jobs=2) as pool:
        told = [work(Looks(), one, may_fail=True) for one in members]
        done = pool.run(dict(enumerate(told)))
    # Both workers map one file.
    assert str(done[0]) == str(done[1]) != "None"


# Last, as an error ends the workers, and new ones take seconds.
def test_work_may_fail_where_others_can_do_without(pool: Pool) -> None:
    good = work(DeepEnsemble(), range(1), may_fail=True)
    done = pool.run({1: good, 2: work(Fails(), range(1, 2), may_fail=True)})
    assert done[1].history.n_epochs == 2
    assert isinstance(done[2], OSError)
    with pytest.raises(OSError, match="No room"):
        pool.run({1: good, 2: work(Fails(), range(1, 2))})


@POSIX
def test_workers_end_with_the_process_that_made_them() -> None:
    command = [sys.executable, "-c", ENDLESS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = [int(parent.stdout.readline()) for _ in range(2)]
        assert parent.pid not in workers
        parent.kill()
    # Should they go on without anyone to work for, this never ends.
    while any(is_there(pid) for pid in workers):
        time.sleep(0.1)


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
