"""Work is shared out to the epoch, and handed on at the right one."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch

from antireg.checkpoint import epochs_written
from antireg.data.base import Data
from antireg.history import History
from antireg.losses import SquaredError
from antireg.methods import DARE, Fit
from antireg.networks import mlp
from antireg.relay import Leg, Task, joined, shares
from antireg.trainer import Settings


def test_five_members_keep_two_workers_busy_to_the_end() -> None:
    assert shares(5, 2, epochs=4) == [
        [Leg(range(2), 0, 4), Leg(range(2, 3), 2, 4)],
        [Leg(range(2, 3), 0, 2), Leg(range(3, 5), 0, 4)],
    ]


def test_members_that_may_not_change_hands_stay_whole() -> None:
    whole = [[Leg(range(2), 0, 4)], [Leg(range(2, 5), 0, 4)]]
    assert shares(5, 2, epochs=4, cut=False) == whole
    assert shares(5, 2, epochs=1) == shares(5, 2, epochs=1, cut=False)


@pytest.mark.parametrize("members", [1, 2, 5, 7, 20])
@pytest.mark.parametrize("workers", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("epochs", [1, 2, 10, 11])
def test_every_epoch_is_done_once_and_in_time(members, workers, epochs) -> None:
    workers = min(workers, members)
    plan = shares(members, workers, epochs)
    loads = [
        sum(len(leg.members) * (leg.last - leg.first) for leg in legs) for legs in plan
    ]
    assert max(loads) - min(loads) <= 1
    assert sum(loads) == members * epochs
    begun = {}
    for legs in plan:
        clock = 0
        for leg in legs:
            clock += len(leg.members) * (leg.last - leg.first)
            if leg.last < epochs:
                begun[leg.members[0]] = leg.last, clock
    for legs in plan:
        clock = 0
        for leg in legs:
            if leg.first:
                last, ready = begun.pop(leg.members[0])
                assert last == leg.first
                assert ready <= clock + 1  # shares differ by an epoch
            clock += len(leg.members) * (leg.last - leg.first)
    assert not begun


def run(first: int, last: int, file: Path | None, watch=lambda epoch: None) -> Fit:
    """Train some of the five epochs of a member."""
    rng = torch.Generator().manual_seed(0)
    x = torch.rand(40, 2, generator=rng)
    data = Data(x, x[:, :1])
    settings = Settings(5, batch_size=8, lr=1e-2, seeds=[7], callbacks=[watch])
    network = mlp([2, 4, 1], seeds=[3])
    task = Task(Leg(range(1), first, last), network, settings, file, kept=False)
    return task.run(data, data, SquaredError(), DARE(threshold=1.0))


def test_a_leg_goes_on_where_the_one_before_stopped(tmp_path: Path) -> None:
    file = tmp_path / "member.safetensors"
    whole = run(0, 5, None)
    assert run(0, 2, file).history.n_epochs == 2
    assert epochs_written(file) == 2
    rest = run(2, 5, file)
    assert torch.equal(rest.weights, whole.weights)
    assert (rest.history.loss == whole.history.loss).all()
    assert rest.ensemble_loss == whole.ensemble_loss
    # Asked for again, as after a crash, the first leg leaves what is done alone.
    assert run(0, 2, file).history.n_epochs == 5
    assert epochs_written(file) == 5


def test_a_leg_waits_for_the_one_before(tmp_path: Path) -> None:
    file = tmp_path / "member.safetensors"
    seen: list[int] = []
    with ThreadPoolExecutor(1) as pool:
        rest = pool.submit(run, 2, 5, file, lambda epoch: seen.append(epoch.number))
        time.sleep(0.2)
        assert not rest.done()
        assert not seen
        run(0, 2, file)
        assert rest.result(timeout=60).history.n_epochs == 5
    assert seen == [3, 4, 5]


def test_files_that_are_not_there_or_damaged_hold_no_epochs(tmp_path: Path) -> None:
    assert epochs_written(tmp_path / "none") == 0
    (tmp_path / "short").write_bytes(b"short")
    assert epochs_written(tmp_path / "short") == 0


def test_histories_are_joined_by_member() -> None:
    def history(value: float, members: int, seconds: float) -> History:
        values = np.full((2, members), value)
        kept = np.full(members, int(value))
        return History(values, values + 1, values + 2, values + 3, kept, seconds)

    groups = [history(1.0, 1, 3.0), history(2.0, 2, 4.0)]
    both = joined(groups, n_workers=2)
    assert both.loss.tolist() == [[1.0, 2.0, 2.0]] * 2
    assert both.weight.tolist() == [[4.0, 5.0, 5.0]] * 2
    assert both.kept.tolist() == [1, 2, 2]
    assert both.seconds == 4.0
    assert joined([*groups, history(3.0, 1, 5.0)], n_workers=2).seconds == 6.0
