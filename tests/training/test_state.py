import numpy as np
import torch

from antireg.losses import SquaredError
from antireg.methods import DeepEnsemble
from antireg.networks import mlp
from antireg.rows.data import Batches, Data
from antireg.training.epoch import Running
from antireg.training.groups import Group
from antireg.training.problem import Problem, Settings
from antireg.training.state import State

SETTINGS = Settings(epochs=4, batch_size=8, lr=1e-2, seeds=(1, 2))


def epochs(state: State, count: int) -> State:
    x = torch.randn(20, 2, generator=torch.Generator().manual_seed(0))
    problem = Problem(Data(x, x[:, :1]), Data(x, x[:, :1]), SquaredError())
    group = Group(range(2), state.network)
    running = Running(group, problem, DeepEnsemble(), SETTINGS)
    running.state = state
    for _ in range(count):
        running.run_epoch(Batches(problem.data))
    return state


def start() -> State:
    return State.start(mlp([2, 4, 1], seeds=(1, 2)), SETTINGS)


def test_a_restored_state_goes_on_as_if_nothing_had_happened() -> None:
    whole = epochs(start(), 4)
    half = epochs(start(), 2).tensors()
    half = {name: tensor.clone() for name, tensor in half.items()}
    restored = start()
    restored.restore(half, SETTINGS.epochs)
    assert len(restored.epochs) == 2
    restored = epochs(restored, 2)
    for name, tensor in whole.tensors().items():
        if name not in ("seconds", "dropout"):
            assert torch.equal(tensor, restored.tensors()[name]), name
    assert restored.history().n_epochs == 4


def test_keep_takes_only_the_chosen_members() -> None:
    state = epochs(start(), 1)
    before = state.kept_weights.clone()
    with torch.no_grad():
        state.network.flat.add_(1.0)
    state.keep(torch.tensor([True, False]), torch.tensor([-1.0, -1.0]))
    assert torch.equal(state.kept_weights[0], state.network.flat.detach()[0])
    assert torch.equal(state.kept_weights[1], before[1])
    assert state.kept_loss[0] == -1


def test_members_with_rows_of_their_own_draw_from_these_and_as_many_as_the_fewest():
    settings = Settings(epochs=1, batch_size=2, lr=0.1, seeds=[3, 4])
    state = State.start(mlp([1, 1], seeds=[0, 1]), settings)
    own = [np.array([1, 5, 7]), np.array([0, 2, 4, 6, 8])]
    for _ in range(5):
        order = state.order(9, False, own)
        assert order.shape == (2, 3)
        assert sorted(order[0].tolist()) == [1, 5, 7]
        assert len(set(order[1].tolist()) & {0, 2, 4, 6, 8}) == 3
