"""Trainings are really killed, and end as if they had not been."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save
from torch import nn

from antireg import EnsembleRegressor
from antireg.history import Epoch
from antireg.networks import mlp
from antireg.training.checkpoint import Checkpoint, checksum, identity_of
from antireg.training.problem import Settings
from antireg.training.state import State
from tests.small_tables import QUICK, table, unfinished_is_fine
from tests.systems import KILLS

pytestmark = unfinished_is_fine

SCRIPT = """
import signal, sys, warnings
import numpy as np
import torch
from antireg import EnsembleClassifier
from antireg.training import checkpoint
torch.set_num_threads(1)
checkpoint.SECONDS = 0.01
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
model = EnsembleClassifier({method!r}, n_members=3, hidden=(16, 16), epochs=100,
                           random_state=0)
if {wait!r}:
    stop = lambda epoch: epoch.number == {wait!r} and signal.pause()
    model.set_params(callbacks=[stop])
y = X[:, 0] > 0
model.fit(X[50:], y[50:], validation_data=(X[:50], y[:50]), checkpoint={folder!r})
np.savez({out!r}, scores=model.ood_score(X), loss=model.history_.loss,
         kept=model.history_.kept, trials=len(model.trials_))
"""


@KILLS
@pytest.mark.parametrize(
    "method", ["dare", pytest.param("mod", marks=pytest.mark.slow)]
)
def test_a_killed_training_ends_bit_identical(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    def script(name: str, wait: int = 0) -> str:
        out = str(tmp_path / f"{name}.npz")
        folder = str(tmp_path / name)
        return SCRIPT.format(method=method, folder=folder, out=out, wait=wait)

    monkeypatch.setattr("antireg.training.checkpoint.SECONDS", 2.0)  # the scripts' own
    exec(script("whole"), {})
    rng = np.random.default_rng(0)
    kills = 0
    for wait in (50, 90):
        files = tmp_path / "killed"
        # It waits on its way, so that no kill is too late, and longer after it has been
        # resumed, so that there is something to write.
        process = subprocess.Popen([sys.executable, "-c", script("killed", wait)])
        seen = {path: path.stat().st_mtime_ns for path in files.glob("*.safetensors")}
        while process.poll() is None and seen == {
            path: path.stat().st_mtime_ns for path in files.glob("*.safetensors")
        }:
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
    assert kills == 2
    exec(script("killed"), {})
    whole, killed = (np.load(tmp_path / f"{n}.npz") for n in ("whole", "killed"))
    for name in whole.files:
        assert np.array_equal(whole[name], killed[name]), name


OF_ANOTHER = "must belong to the same data, network and settings"


class Crash(Exception):
    pass


def crash_at(number: int):
    def callback(epoch: Epoch) -> None:
        if epoch.number == number:
            raise Crash

    return callback


def test_an_interrupted_fit_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("antireg.training.checkpoint.SECONDS", 0.0)
    X, y = table()
    settings = {**QUICK, "epochs": 8}
    whole = EnsembleRegressor(**settings).fit(X, y)
    with pytest.raises(Crash):
        EnsembleRegressor(**settings, callbacks=[crash_at(6)]).fit(
            X, y, checkpoint=tmp_path
        )
    numbers: list[int] = []
    resumed = EnsembleRegressor(
        **settings, callbacks=[lambda epoch: numbers.append(epoch.number)]
    ).fit(X, y, checkpoint=tmp_path)
    assert numbers == [6, 7, 8, *range(1, 9)]
    assert np.array_equal(whole.predict(X), resumed.predict(X))
    assert np.array_equal(whole.history_.loss, resumed.history_.loss)


def test_a_finished_fit_is_not_run_again(tmp_path: Path) -> None:
    X, y = table()
    first = EnsembleRegressor(**QUICK).fit(X, y, checkpoint=tmp_path)
    again = EnsembleRegressor(**QUICK, callbacks=[crash_at(1)])
    again.fit(X, y, checkpoint=tmp_path)
    assert np.array_equal(first.predict(X), again.predict(X))
    assert not list(tmp_path.glob("*.tmp"))


def test_a_checkpoint_of_other_data_or_settings_is_refused(tmp_path: Path) -> None:
    X, y = table()
    EnsembleRegressor(**QUICK).fit(X, y, checkpoint=tmp_path)
    for model, target in (
        (EnsembleRegressor(**QUICK), y + 1e3 * X[:, 2]),
        (EnsembleRegressor(**{**QUICK, "lr": 0.5}), y),
        (EnsembleRegressor(**QUICK, activation="tanh"), y),
    ):
        with pytest.raises(ValueError, match=OF_ANOTHER):
            model.fit(X, target, checkpoint=tmp_path)


class Own(nn.Module):
    """A network of frozen weights, a buffer, a number and a function."""

    def __init__(self, frozen=1.0, buffer=1.0, slope=1.0, bend=torch.tanh):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.last = nn.Linear(3, 2)
        self.slope, self.bend = slope, bend
        self.frozen = nn.Parameter(torch.tensor(frozen), requires_grad=False)
        self.register_buffer("buffer", torch.tensor([buffer]), persistent=False)

    def forward(self, x):
        scale = self.frozen * self.buffer * self.slope
        return self.last(scale * self.bend(self.first(x)))


@pytest.mark.parametrize(
    "other",
    [{"frozen": 2.0}, {"buffer": 2.0}, {"slope": 2.0}, {"bend": torch.relu}],
    ids=lambda other: next(iter(other)),
)
def test_a_checkpoint_of_another_network_is_refused(tmp_path: Path, other) -> None:
    X, y = table()
    first = EnsembleRegressor(**QUICK, network=Own()).fit(X, y, checkpoint=tmp_path)
    again = EnsembleRegressor(**QUICK, network=Own()).fit(X, y, checkpoint=tmp_path)
    assert np.array_equal(first.predict(X), again.predict(X))
    with pytest.raises(ValueError, match=OF_ANOTHER):
        EnsembleRegressor(**QUICK, network=Own(**other)).fit(X, y, checkpoint=tmp_path)


def test_layers_of_the_same_weights_are_told_apart(tmp_path: Path) -> None:
    def network(bend: nn.Module) -> nn.Module:
        return nn.Sequential(nn.Linear(3, 4), bend, nn.Linear(4, 2))

    X, y = table()
    model = EnsembleRegressor(**QUICK, network=network(nn.ReLU()))
    model.fit(X, y, checkpoint=tmp_path)
    with pytest.raises(ValueError, match=OF_ANOTHER):
        model.set_params(network=network(nn.Tanh())).fit(X, y, checkpoint=tmp_path)


def test_identities_follow_shapes_and_values() -> None:
    values = torch.arange(6.0)
    told = [
        identity_of([values], None),
        identity_of([values.reshape(2, 3)], None),
        identity_of([values + 1], None),
        identity_of([values], 1),
        identity_of([values, torch.tensor(1.0)], None),
    ]
    assert len(set(told)) == len(told)
    assert identity_of([values.clone()], None) == told[0]


def test_a_damaged_checkpoint_says_which_file_to_delete(tmp_path: Path) -> None:
    X, y = table()
    EnsembleRegressor(**QUICK).fit(X, y, checkpoint=tmp_path)
    file = tmp_path / "training-1.safetensors"
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(ValueError, match=r"training-1.safetensors is damaged.*Delete"):
        EnsembleRegressor(**QUICK).fit(X, y, checkpoint=tmp_path)


SETTINGS = Settings(epochs=4, batch_size=8, lr=1e-2, seeds=(1, 2))


def written(folder: Path) -> tuple[Checkpoint, State]:
    """Return a checkpoint after one epoch of four, and the state it is of."""
    state = State.start(mlp([2, 4, 1], seeds=(1, 2)), SETTINGS)
    state.epochs.append(Epoch(1, SETTINGS.epochs, *np.ones((4, 2))))
    checkpoint = Checkpoint(folder / "training-1.safetensors", "mine")
    checkpoint.write(state)
    checkpoint.resume(state, SETTINGS.epochs)
    return checkpoint, state


def test_a_changed_bit_is_never_resumed_from(tmp_path: Path) -> None:
    checkpoint, state = written(tmp_path)
    good = checkpoint.path.read_bytes()
    rng = np.random.default_rng(0)
    for place in (*rng.integers(8, len(good), 200), len(good) - 1):
        bad = bytearray(good)
        bad[place] ^= 1 << rng.integers(8)
        checkpoint.path.write_bytes(bad)
        with pytest.raises(ValueError, match=f"is damaged|{OF_ANOTHER}"):
            checkpoint.resume(state, SETTINGS.epochs)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("weights", torch.zeros(2, 3), r"its weights must not be of shape \(2, 3\)"),
        ("history", torch.zeros(5, 4, 2).double(), "history must not be of shape"),
        ("history", torch.zeros(0, 4, 2).double(), "history must not be of shape"),
        ("kept", torch.zeros(2), "kept must not be torch.float32"),
        ("kept", torch.tensor([0, 2]), "kept epochs that were not trained"),
        ("seconds", torch.tensor([torch.nan]).double(), "seconds must be finite"),
        ("rng", torch.zeros(5056, dtype=torch.uint8), "is damaged"),
        ("more", torch.zeros(1), "must hold average"),
    ],
)
def test_what_no_training_wrote_is_refused_though_its_checksum_is_right(
    tmp_path: Path, name: str, value: torch.Tensor, words: str
) -> None:
    checkpoint, state = written(tmp_path)
    tensors = state.tensors() | {name: value}
    told = {"identity": "mine", "sha256": checksum(tensors)}
    checkpoint.path.write_bytes(save(tensors, told))
    with pytest.raises(ValueError, match=words):
        checkpoint.resume(state, SETTINGS.epochs)


def test_what_is_no_file_or_has_a_huge_header_is_refused(tmp_path: Path) -> None:
    checkpoint, state = written(tmp_path)
    checkpoint.path.write_bytes((2**21).to_bytes(8, "little") + bytes(2**21))
    with pytest.raises(ValueError, match="header is larger"):
        checkpoint.resume(state, SETTINGS.epochs)
    checkpoint.path.unlink()
    checkpoint.path.mkdir()
    with pytest.raises(ValueError, match="not a plain file"):
        checkpoint.resume(state, SETTINGS.epochs)


def test_a_checkpoint_without_a_checksum_is_refused(tmp_path: Path) -> None:
    X, y = table()
    EnsembleRegressor(**QUICK).fit(X, y, checkpoint=tmp_path)
    path = tmp_path / "training-1.safetensors"
    with safe_open(path, framework="pt") as file:
        told = {"identity": file.metadata()["identity"]}
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    path.write_bytes(save(tensors, told))
    with pytest.raises(ValueError, match=r"damaged \(its numbers .* Delete it"):
        EnsembleRegressor(**QUICK).fit(X, y, checkpoint=tmp_path)


def test_a_checkpoint_needs_a_seed(tmp_path: Path) -> None:
    X, y = table()
    model = EnsembleRegressor(**{**QUICK, "random_state": None})
    with pytest.raises(ValueError, match="random_state must be a whole number"):
        model.fit(X, y, checkpoint=tmp_path)
