import numpy as np
import pytest
import torch

from antireg.data.base import Data
from antireg.history import Epoch
from antireg.losses import CrossEntropy, Loss, OneHotSquaredError, SquaredError
from antireg.methods import DARE, METHODS, AnchorNet, DeepEnsemble, Method
from antireg.methods.base import Fit
from antireg.networks import mlp
from antireg.trainer import Settings, evaluate, forward, train

SEEDS = (1, 2, 3)


def rows(n_rows: int = 64, seed: int = 0) -> Data:
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(n_rows, 2, generator=rng)
    return Data(x, x[:, :1] - 0.5 * x[:, 1:])


def run(method: Method, *, epochs: int = 5, lr: float = 1e-2, **settings):
    network = mlp([2, 8, 1], seeds=SEEDS)
    chosen = {"batch_size": 16, "seeds": SEEDS, **settings}
    return train(
        network,
        rows(),
        rows(32, seed=1),
        SquaredError(),
        method,
        Settings(epochs=epochs, lr=lr, **chosen),
    )


def test_training_lowers_the_loss() -> None:
    history = run(DeepEnsemble(), epochs=20).history
    assert (history.loss[-1] < 0.3 * history.loss[0]).all()


def test_dare_with_threshold_minus_infinity_is_a_deep_ensemble_bit_for_bit() -> None:
    plain, dare = run(DeepEnsemble()), run(DARE(threshold=-np.inf))
    assert torch.equal(plain.weights, dare.weights)
    assert np.array_equal(plain.history.loss, dare.history.loss)
    assert plain.ensemble_loss == dare.ensemble_loss


@pytest.mark.parametrize("name", METHODS)
def test_same_seeds_same_numbers(name: str) -> None:
    settings = {"threshold": 1.0} if name == "dare" else {"strength": 0.1}
    known = METHODS[name]().get_params()
    method = METHODS[name](**{k: v for k, v in settings.items() if k in known})
    first, second = run(method), run(method)
    assert torch.equal(first.weights, second.weights)


@pytest.mark.parametrize(
    "method",
    [DeepEnsemble(), DARE(threshold=1.0), AnchorNet(strength=0.1)],
    ids=lambda method: type(method).__name__,
)
@pytest.mark.parametrize(
    ("layers", "n_rows", "batch_size", "loss", "activation"),
    [
        ((1, 100, 100, 1), 65, 32, SquaredError(), "relu"),  # last, a batch of one row
        ((2, 9, 1), 70, 32, CrossEntropy(), "tanh"),
        ((3, 11, 7, 3), 70, 32, CrossEntropy(), "sigmoid"),
        ((64, 100, 100, 10), 300, 128, OneHotSquaredError(), "leaky_relu"),
        ((784, 100, 2), 140, 128, SquaredError(), "relu"),
        ((2048, 100, 1), 140, 128, CrossEntropy(), "relu"),
    ],
    ids=lambda value: str(value[0]) if isinstance(value, tuple) else None,
)
def test_a_member_is_the_same_to_the_bit_in_any_company(
    method: Method,
    layers: tuple[int, ...],
    n_rows: int,
    batch_size: int,
    loss: Loss,
    activation: str,
) -> None:
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(n_rows, layers[0], generator=rng)
    data = Data(x, torch.rand(n_rows, layers[-1], generator=rng))

    def members(*seeds: int) -> Fit:
        network = mlp(layers, activation, seeds=seeds)
        settings = Settings(epochs=2, batch_size=batch_size, lr=1e-3, seeds=seeds)
        return train(network, data, data, loss, method, settings)

    together = members(1, 2, 3, 4, 5)
    for groups in ([(1, 2), (3, 4, 5)], [(1,), (2,), (3,), (4,), (5,)]):
        fits = [members(*seeds) for seeds in groups]
        assert torch.equal(torch.cat([fit.weights for fit in fits]), together.weights)
        for name in ("loss", "validation_loss", "control"):
            apart = np.concatenate([getattr(f.history, name) for f in fits], axis=1)
            assert np.array_equal(apart, getattr(together.history, name))


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


def test_divergence_names_epoch_member_and_cause() -> None:
    with pytest.raises(
        ValueError, match=r"diverged: member \d .* epoch 1\..*lower lr \(now 1e\+30\)"
    ):
        run(DeepEnsemble(), lr=1e30)


def test_forward_in_chunks_is_forward(monkeypatch: pytest.MonkeyPatch) -> None:
    network, x = mlp([2, 8, 1], seeds=SEEDS), rows().x
    whole = forward(network, x)
    monkeypatch.setattr("antireg.trainer.CHUNK_NUMBERS", 100)
    torch.testing.assert_close(forward(network, x), whole)
    assert not whole.requires_grad


def test_the_callers_random_state_and_network_are_left_alone() -> None:
    before = torch.random.get_rng_state()
    network = mlp([2, 8, 1], seeds=SEEDS)
    weights = network.flat.detach().clone()
    settings = Settings(epochs=1, batch_size=16, lr=1e-2, seeds=SEEDS)
    train(network, rows(), rows(8), SquaredError(), DeepEnsemble(), settings)
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
