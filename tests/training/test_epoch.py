from dataclasses import dataclass

import pytest
import torch

from antireg.losses import SquaredError
from antireg.methods import DARE, Method
from antireg.methods.base import DivergedError
from antireg.networks import mlp
from antireg.rows.data import Batches, Data
from antireg.training.epoch import Running
from antireg.training.groups import Group
from antireg.training.problem import Problem, Settings

SEEDS = (1, 2, 3)


def rows() -> Data:
    x = torch.randn(20, 2, generator=torch.Generator().manual_seed(0))
    return Data(x, x[:, :1])


def running(method: Method, members: range = range(3), **settings) -> Running:
    network = mlp([2, 4, 1], seeds=[SEEDS[m] for m in members])
    problem = Problem(rows(), rows(), SquaredError())
    how = Settings(
        **{"epochs": 4, "batch_size": 8, "lr": 1e-2, "seeds": SEEDS, **settings}
    )
    return Running(Group(members, network), problem, method, how)


def after_epochs(group: Running, count: int) -> Running:
    batches = Batches(group.problem.data)
    for _ in range(count):
        group.run_epoch(batches)
    return group


@dataclass
class ByAutograd(Method):
    """DARE without its closed form."""

    threshold: float

    def penalty(self, step, memory):
        return DARE(self.threshold).penalty(step, memory)

    def control(self, fit):
        return DARE(self.threshold).control(fit)


def test_both_ways_to_step_go_down_the_same_gradient() -> None:
    ways = [running(DARE(1.0)), running(ByAutograd(1.0))]
    results = [way.step(Batches(rows()).take(torch.arange(8))) for way in ways]
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other)
    closed, plain = (way.state.adam.gradient for way in ways)
    # Sums of some ten numbers of about 1 in single precision.
    torch.testing.assert_close(closed, plain, rtol=1e-4, atol=1e-5)


def test_a_gradient_is_looked_for_once_and_not_at_every_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Method] = []
    monkeypatch.setattr("antireg.training.epoch.closed_form", asked.append)
    method = DARE(1.0)
    after_epochs(running(method), 2)
    assert asked == [method]


def test_members_keep_their_numbers_when_they_diverge() -> None:
    with pytest.raises(DivergedError, match=r"member [12] .* epoch 1\. .*now 1e\+30"):
        after_epochs(running(DARE(1.0), range(1, 3), lr=1e30), 1)
