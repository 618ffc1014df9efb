from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from antireg.losses import SquaredError
from antireg.methods import DARE, MOD, DeepEnsemble
from antireg.networks import mlp
from antireg.rows.data import Data
from antireg.training.plan import Plan
from antireg.training.problem import Problem, Settings

SEEDS = (1, 2, 3)


def plan(folder: Path | None = None, y: float = 0.0) -> Plan:
    rows = Data(torch.zeros(4, 2), torch.full((4, 1), y))
    settings = Settings(epochs=1, batch_size=2, lr=0.1, seeds=SEEDS)
    start = mlp([2, 3, 1], seeds=SEEDS)
    return Plan(start, Problem(rows, rows, SquaredError()), settings, folder)


@pytest.fixture
def groups_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antireg.training.groups.MANY", 2)


@pytest.mark.usefixtures("groups_of_two")
def test_members_that_see_each_other_are_one_group() -> None:
    assert plan().members(DeepEnsemble()) == [range(2), range(2, 3)]
    assert plan().members(MOD(1.0)) == [range(3)]
    assert plan().why_together(MOD(1.0)) == "members of MOD see each other"
    assert plan().why_together(DeepEnsemble()) is None


@pytest.mark.usefixtures("groups_of_two")
def test_groups_have_their_weights_and_a_file_each(tmp_path: Path) -> None:
    whole = plan(tmp_path)
    whole.ask(DeepEnsemble(), ())
    first, second = whole.groups(DeepEnsemble())
    weights = torch.cat([first.network.flat, second.network.flat])
    assert torch.equal(weights, whole.start.flat)
    assert first.checkpoint is not None
    assert second.checkpoint is not None
    names = [first.checkpoint.path.name, second.checkpoint.path.name]
    assert names == [f"training-1-members-{m}.safetensors" for m in ("0-1", "2-2")]
    assert first.checkpoint.identity != second.checkpoint.identity


def test_numbers_of_files_do_not_depend_on_what_was_trained_ahead(
    tmp_path: Path,
) -> None:
    whole, grid = plan(tmp_path), [DARE(1.0), DARE(2.0), DARE(3.0)]
    assert not whole.ask(grid[0], grid[1:])
    assert whole.ask(grid[1], grid[2:])
    assert not whole.ask(DeepEnsemble(), ())  # without the third, which had a number
    assert whole.n_asked == 4
    (group,) = whole.groups(DeepEnsemble())
    assert group.checkpoint is not None
    assert group.checkpoint.path.name == "training-4.safetensors"


@dataclass
class Renamed(DeepEnsemble):
    """The same, by another name."""


def test_other_rows_and_methods_are_other_trainings(tmp_path: Path) -> None:
    def identity(method: DeepEnsemble, y: float = 0.0) -> str:
        (group,) = plan(tmp_path, y).groups(method)
        assert group.checkpoint is not None
        return group.checkpoint.identity

    same = identity(DeepEnsemble())
    assert identity(DeepEnsemble()) == same
    assert identity(DeepEnsemble(), y=1.0) != same
    assert identity(Renamed()) != same
