"""Work is shared out to the epoch, and handed on at the right one."""

from pathlib import Path

import pytest
import torch

from antireg.checkpoint import epochs_written
from antireg.data.base import Data
from antireg.losses import SquaredError
from antireg.methods import DARE
from antireg.networks import mlp
from antireg.relay import Leg, Task, shares
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


def test_a_leg_goes_on_where_the_one_before_stopped(tmp_path: Path) -> None:
    network = mlp([2, 4, 1], seeds=[3])
    data = Data(torch.rand(40, 2), torch.rand(40, 1))
    settings = Settings(epochs=5, batch_size=8, lr=1e-2, seeds=[7])
    file = tmp_path / "member.safetensors"

    def run(first: int, last: int, file: Path | None):
        task = Task(Leg(range(1), first, last), network, settings, file, kept=False)
        return task.run(data, data, SquaredError(), DARE(threshold=1.0))

    whole = run(0, 5, None)
    assert run(0, 2, file).history.n_epochs == 2
    assert epochs_written(file) == 2
    rest = run(2, 5, file)
    assert torch.equal(rest.weights, whole.weights)
    assert (rest.history.loss == whole.history.loss).all()
    assert rest.ensemble_loss == whole.ensemble_loss
