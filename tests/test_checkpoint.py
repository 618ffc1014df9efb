"""Trainings are really killed, and end as if they had not been."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from antireg import EnsembleRegressor
from antireg.history import Epoch
from tests.small_tables import QUICK, table, unfinished_is_fine

pytestmark = unfinished_is_fine

SCRIPT = """
import sys, warnings
import numpy as np
import torch
from antireg import EnsembleClassifier, checkpoint
torch.set_num_threads(1)
checkpoint.SECONDS = 0.02
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
model = EnsembleClassifier({method!r}, n_members=3, hidden=(16, 16), epochs=300,
                           random_state=0)
model.fit(X, X[:, 0] > 0, checkpoint={folder!r})
np.savez({out!r}, scores=model.ood_score(X), loss=model.history_.loss,
         kept=model.history_.kept, trials=len(model.trials_))
"""


@pytest.mark.parametrize(
    "method", ["dare", pytest.param("mod", marks=pytest.mark.slow)]
)
def test_a_killed_training_ends_bit_identical(tmp_path: Path, method: str) -> None:
    def command(name: str) -> list[str]:
        out = str(tmp_path / f"{name}.npz")
        folder = str(tmp_path / name)
        script = SCRIPT.format(method=method, folder=folder, out=out)
        return [sys.executable, "-c", script]

    subprocess.run(command("whole"), check=True)
    rng = np.random.default_rng(0)
    kills = 0
    for _ in range(3):
        files = tmp_path / "killed"
        process = subprocess.Popen(command("killed"))
        seen = {path: path.stat().st_mtime_ns for path in files.glob("*.safetensors")}
        while process.poll() is None and seen == {
            path: path.stat().st_mtime_ns for path in files.glob("*.safetensors")
        }:
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
    assert kills >= 1
    subprocess.run(command("killed"), check=True)
    whole, killed = (np.load(tmp_path / f"{n}.npz") for n in ("whole", "killed"))
    for name in whole.files:
        assert np.array_equal(whole[name], killed[name]), name


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
    monkeypatch.setattr("antireg.checkpoint.SECONDS", 0.0)
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
    ):
        with pytest.raises(ValueError, match="belong to the same data and settings"):
            model.fit(X, target, checkpoint=tmp_path)


def test_a_damaged_checkpoint_says_which_file_to_delete(tmp_path: Path) -> None:
    X, y = table()
    EnsembleRegressor(**QUICK).fit(X, y, checkpoint=tmp_path)
    file = tmp_path / "training-1.safetensors"
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(ValueError, match=r"training-1.safetensors is damaged.*Delete"):
        EnsembleRegressor(**QUICK).fit(X, y, checkpoint=tmp_path)


def test_a_checkpoint_needs_a_seed(tmp_path: Path) -> None:
    X, y = table()
    model = EnsembleRegressor(**{**QUICK, "random_state": None})
    with pytest.raises(ValueError, match="random_state must be a whole number"):
        model.fit(X, y, checkpoint=tmp_path)
