from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from antireg.history import Epoch
from antireg.losses import CrossEntropy, SquaredError
from antireg.methods import DARE, METHODS, DeepEnsemble, Fit, Method
from antireg.networks import mlp
from antireg.networks.forward import evaluate
from antireg.rows.data import Data
from antireg.training.checkpoint import Checkpoint
from antireg.training.groups import Group
from antireg.training.loop import Trainer
from antireg.training.plan import Plan
from antireg.training.problem import Problem, Settings

SEEDS = (1, 2, 3)


def rows(n_rows: int = 64, seed: int = 0) -> Data:
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(n_rows, 2, generator=rng)
    return Data(x, x[:, :1] - 0.5 * x[:, 1:])


def run_all(
    method: Method, members: Sequence[range], *, epochs=5, lr=1e-2, files=(), **more
) -> Fit:
    """Train the members of each range as a group."""
    checkpoints = [Checkpoint(file, "") for file in files] or [None] * len(members)
    groups = [
        Group(one, mlp([2, 8, 1], seeds=[SEEDS[m] for m in one]), checkpoint)
        for one, checkpoint in zip(members, checkpoints, strict=True)
    ]
    settings = Settings(epochs, lr=lr, **{"batch_size": 16, "seeds": SEEDS, **more})
    problem = Problem(rows(), rows(32, seed=1), SquaredError())
    start = mlp([2, 8, 1], seeds=[SEEDS[m] for one in members for m in one])
    return Trainer(Plan(start, problem, settings))(method, groups=groups)


def run(method: Method, **settings) -> Fit:
    return run_all(method, [range(3)], **settings)


def test_training_lowers_the_loss() -> None:
    history = run(DeepEnsemble(), epochs=20).history
    assert (history.loss[-1] < 0.3 * history.loss[0]).all()


def test_dare_with_threshold_minus_infinity_is_a_deep_ensemble_bit_for_bit() -> None:
    plain, dare = run(DeepEnsemble()), run(DARE(threshold=-np.inf))
    assert torch.equal(plain.weights, dare.weights)
    assert np.array_equal(plain.history.loss, dare.history.loss)


@pytest.mark.parametrize("name", METHODS)
def test_same_seeds_same_numbers(name: str) -> None:
    settings = {"threshold": 1.0, "strength": 0.1}
    known = METHODS[name]().get_params()
    method = METHODS[name](**{k: v for k, v in settings.items() if k in known})
    first, second = run(method), run(method)
    assert torch.equal(first.weights, second.weights)


def test_dare_grows_the_weights() -> None:
    plain, dare = run(DeepEnsemble(), epochs=40), run(DARE(threshold=0.5), epochs=40)
    assert (dare.history.weight[-1] > 1.5 * plain.history.weight[-1]).all()
    assert set(np.unique(plain.history.control)) == {0.0}
    assert dare.history.control[-1].mean() > 0


def test_members_are_kept_at_their_best_epoch() -> None:
    fit = run(DeepEnsemble(), epochs=30, lr=0.3)
    best = fit.history.validation_loss.argmin(axis=0) + 1
    assert np.array_equal(fit.history.kept, best)
    kept = mlp([2, 8, 1], seeds=SEEDS).with_weights(fit.weights)
    again = evaluate(kept, rows(32, seed=1), SquaredError())
    assert again.tolist() == pytest.approx(fit.history.kept_validation_loss, rel=1e-5)


def test_the_last_batch_may_be_short_and_rows_may_be_fewer_than_a_batch() -> None:
    assert run(DeepEnsemble(), batch_size=60).history.n_epochs == 5
    assert run(DeepEnsemble(), batch_size=1000).history.n_epochs == 5


def test_callbacks_see_every_epoch_and_may_stop() -> None:
    seen: list[Epoch] = []

    def stop_at_three(epoch: Epoch) -> bool:
        seen.append(epoch)
        return (epoch.loss > -1).all() and epoch.number == 3

    fit = run(DeepEnsemble(), callbacks=[stop_at_three])
    assert [epoch.number for epoch in seen] == [1, 2, 3]
    assert fit.history.n_epochs == 3
    assert seen[0].loss.shape == (3,)


GROUPS = [range(2), range(2, 3)]


def test_groups_are_trained_in_turns_as_they_are_apart() -> None:
    seen: list[Epoch] = []
    both = run_all(DeepEnsemble(), GROUPS, callbacks=[seen.append])
    assert [epoch.number for epoch in seen] == [1, 2, 3, 4, 5]
    for members in GROUPS:
        apart = run_all(DeepEnsemble(), [members])
        part = slice(members.start, members.stop)
        assert torch.equal(apart.weights, both.weights[part])
        assert np.array_equal(apart.history.loss, both.history.loss[:, part])
        assert np.array_equal([epoch.loss[part] for epoch in seen], apart.history.loss)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setattr("antireg.training.checkpoint.SECONDS", 0.0)
    return [tmp_path / "first.safetensors", tmp_path / "second.safetensors"]


def test_a_group_that_is_ahead_waits_for_the_others(files: list[Path]) -> None:
    whole = run_all(DeepEnsemble(), GROUPS)
    run_all(DeepEnsemble(), GROUPS[:1], files=files[:1])
    seen: list[Epoch] = []
    both = run_all(DeepEnsemble(), GROUPS, files=files, callbacks=[seen.append])
    assert [epoch.number for epoch in seen] == [1, 2, 3, 4, 5]
    assert [len(epoch.loss) for epoch in seen] == [3] * 5
    assert torch.equal(whole.weights, both.weights)
    assert np.array_equal(whole.history.loss, both.history.loss)


def test_groups_stop_together_even_if_one_is_ahead(files: list[Path]) -> None:
    def stop(epoch: Epoch) -> bool:
        return epoch.number == 2

    assert run_all(DARE(1.0), GROUPS, callbacks=[stop]).history.n_epochs == 2
    run_all(DARE(1.0), GROUPS[:1], files=files[:1], callbacks=[lambda e: e.number == 4])
    both = run_all(DARE(1.0), GROUPS, files=files, callbacks=[stop])
    assert both.history.n_epochs == 4


def separable(patience: int | None) -> Fit:
    """Train two members to tell the sign of a column that is never near 0."""
    x = torch.linspace(1, 2, 32).repeat(2)[:, None]
    x[::2] *= -1
    data = Data(x, (x > 0).float())
    settings = Settings(150, batch_size=16, seeds=SEEDS[:2], lr=1e-2, patience=patience)
    problem = Problem(data, data, CrossEntropy())
    return Trainer(Plan(mlp([1, 8, 1], seeds=SEEDS[:2]), problem, settings))(
        DeepEnsemble()
    )


def test_training_ends_although_the_loss_of_separable_classes_falls_for_ever() -> None:
    endless = separable(patience=None).history
    assert endless.kept.tolist() == [150, 150]
    ended = separable(patience=4).history
    assert ended.n_epochs == ended.kept.max() + 4 < 150
    # 64 rows: by less than 0.1 in all, the epochs that were not kept are better.
    kept = ended.validation_loss[ended.kept - 1, range(2)]
    assert (kept - ended.validation_loss[-1] < CrossEntropy.gain / 64).all()
    assert (ended.validation_loss[-1] < kept).all()


def test_divergence_names_epoch_member_and_cause() -> None:
    with pytest.raises(
        ValueError, match=r"diverged: member \d .* epoch 1\..*lower lr \(now 1e\+30\)"
    ):
        run(DeepEnsemble(), lr=1e30)
    with pytest.raises(ValueError, match="diverged: member 2 "):
        run_all(DeepEnsemble(), GROUPS[1:], lr=1e30)


def test_the_callers_random_state_and_network_are_left_alone() -> None:
    before = torch.random.get_rng_state()
    network = mlp([2, 8, 1], seeds=SEEDS)
    weights = network.flat.detach().clone()
    settings = Settings(epochs=1, batch_size=16, lr=1e-2, seeds=SEEDS)
    problem = Problem(rows(), rows(8), SquaredError())
    Trainer(Plan(network, problem, settings))(DeepEnsemble())
    assert torch.equal(before, torch.random.get_rng_state())
    assert torch.equal(weights, network.flat)


def test_steps_use_one_thread_and_leave_the_users_number_alone() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        seen: list[int] = []
        run(DeepEnsemble(), callbacks=[lambda _: seen.append(torch.get_num_threads())])
        assert set(seen) == {1}
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_trainings_are_noted_in_the_order_they_were_asked_for() -> None:
    settings = Settings(epochs=1, batch_size=16, lr=1e-2, seeds=SEEDS)
    problem = Problem(rows(), rows(8), SquaredError())
    train = Trainer(Plan(mlp([2, 8, 1], seeds=SEEDS), problem, settings))
    fits = [train(DeepEnsemble()), train(DARE(threshold=1.0))]
    assert train.trials == [(fit.method, fit.history) for fit in fits]


def overfitting(**settings) -> Fit:
    """Members that are soon at their best on held-out rows, and leap about there."""
    return run(DeepEnsemble(), epochs=200, lr=0.1, **settings)


def test_training_ends_a_patience_after_the_last_epoch_that_was_kept() -> None:
    whole, ended = overfitting(), overfitting(patience=6)
    assert whole.history.n_epochs == 200
    assert ended.history.n_epochs == ended.history.kept.max() + 6 < 200
    # Until then it is the same training, and each member is at its best of it.
    n_epochs = ended.history.n_epochs
    losses = whole.history.validation_loss[:n_epochs]
    assert np.array_equal(ended.history.validation_loss, losses)
    assert np.array_equal(ended.history.kept, losses.argmin(axis=0) + 1)
    kept = mlp([2, 8, 1], seeds=SEEDS).with_weights(ended.weights)
    again = evaluate(kept, rows(32, seed=1), SquaredError())
    assert again.tolist() == pytest.approx(ended.history.kept_validation_loss, rel=1e-5)


def test_patience_never_goes_beyond_the_last_epoch() -> None:
    assert run(DeepEnsemble(), epochs=5, patience=1000).history.n_epochs == 5


def test_dare_goes_on_under_its_threshold_and_ends_thrice_a_patience_after() -> None:
    under = run(DARE(threshold=np.inf), epochs=40, lr=0.1, patience=2)
    assert under.history.n_epochs == 40
    assert (under.history.kept == 40).all()
    never = run(DARE(threshold=-np.inf), epochs=200, lr=0.1, patience=2)
    assert never.history.n_epochs == never.history.kept.max() + 6 < 200
    assert torch.equal(never.weights, overfitting(patience=6).weights)


def test_a_group_that_has_learned_waits_as_it_was_for_the_others(
    files: list[Path],
) -> None:
    settings = {"epochs": 200, "lr": 0.1, "patience": 6}
    apart = [run_all(DeepEnsemble(), [members], **settings) for members in GROUPS]
    lengths = [fit.history.n_epochs for fit in apart]
    assert lengths[0] != lengths[1]
    seen: list[Epoch] = []
    both = run_all(DeepEnsemble(), GROUPS, callbacks=[seen.append], **settings)
    assert torch.equal(both.weights, torch.cat([fit.weights for fit in apart]))
    assert [epoch.number for epoch in seen] == [*range(1, max(lengths) + 1)]
    assert np.array_equal([epoch.loss for epoch in seen], both.history.loss)
    for fit, members in zip(apart, GROUPS, strict=True):
        joined = both.history.loss[:, members.start : members.stop]
        n_epochs = fit.history.n_epochs
        assert np.array_equal(joined[:n_epochs], fit.history.loss)
        assert (joined[n_epochs:] == fit.history.loss[-1]).all()


@pytest.mark.parametrize("n_epochs", [3, 8, 15])
def test_a_training_with_patience_is_resumed_to_the_same_bits(
    files: list[Path], n_epochs: int
) -> None:
    settings = {"epochs": 200, "lr": 0.1, "patience": 6}
    whole = run_all(DeepEnsemble(), GROUPS, **settings)

    class Killed(Exception):
        pass

    def killed(epoch: Epoch) -> None:
        if epoch.number == n_epochs:
            raise Killed

    with pytest.raises(Killed):
        run_all(DeepEnsemble(), GROUPS, files=files, callbacks=[killed], **settings)
    for _ in range(2):  # goes on, and finds all done
        resumed = run_all(DeepEnsemble(), GROUPS, files=files, **settings)
        assert torch.equal(whole.weights, resumed.weights)
        assert np.array_equal(whole.history.loss, resumed.history.loss)
        assert np.array_equal(whole.history.kept, resumed.history.kept)
