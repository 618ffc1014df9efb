"""Members are trained by real workers, some of which are really killed."""

import os
import re
import signal
import warnings
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import ClassVar

import joblib
import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor
from torch import nn, zeros

from antireg import DARE, METHODS, MOD, EnsembleClassifier, EnsembleRegressor
from antireg.history import Epoch
from antireg.losses import SquaredError
from antireg.methods import DeepEnsemble, Method
from antireg.methods.base import DivergedError
from antireg.methods.search import best, tried
from antireg.networks import mlp
from antireg.parallel.workers import shared_out
from antireg.rows.data import Data
from antireg.training.loop import Trainer
from antireg.training.plan import Plan
from antireg.training.problem import Problem, Settings
from tests.small_tables import QUICK, labelled, table, unfinished_is_fine
from tests.systems import KILLS

pytestmark = unfinished_is_fine

THREE = {**QUICK, "n_members": 3}

ENOUGH_HELD_OUT = {"validation_data": table(30, seed=1)}
"""With it nothing is trained again without parts of the rows: one training alone."""


@pytest.fixture(autouse=True)
def groups_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small networks be cut as large ones are: three members in 2 + 1."""
    monkeypatch.setattr("antireg.training.groups.MANY", 2)


def assert_same_fit(one, other, seed=None) -> None:
    weights = one.network_.flat.detach(), other.network_.flat.detach()
    assert np.array_equal(*weights), seed
    if one.centre_ is not None or other.centre_ is not None:
        centres = one.centre_.flat.detach(), other.centre_.flat.detach()
        assert np.array_equal(*centres), seed
    for name in ("loss", "validation_loss", "control", "weight", "kept"):
        assert np.array_equal(
            getattr(one.history_, name), getattr(other.history_, name)
        ), name
    assert one.validation_loss_ == other.validation_loss_
    assert repr(one.trials_[0][0]) == repr(other.trials_[0][0])
    assert np.array_equal(one.held_out_scores_, other.held_out_scores_)


def test_groups_that_have_learned_at_different_times_are_the_same_by_workers(
    tmp_path: Path,
) -> None:
    settings = {**THREE, "epochs": 200, "lr": 0.1, "patience": 3}
    fits = [
        EnsembleRegressor("deep_ensemble", **settings, n_jobs=n_jobs).fit(
            *table(), **ENOUGH_HELD_OUT, checkpoint=tmp_path / str(n_jobs)
        )
        for n_jobs in (1, 2)
    ]
    assert_same_fit(*fits)
    history = fits[0].history_
    assert history.n_epochs == history.kept.max() + 3 < 200
    # Each group ended by itself, and stayed as it was then.
    ended = [history.kept[:2].max() + 3, history.kept[2] + 3]
    assert ended[0] != ended[1]
    first = np.flatnonzero([ended[0] < ended[1], ended[1] < ended[0]])[0]
    members, epoch = [slice(2), slice(2, 3)][first], ended[first]
    assert (history.loss[epoch:, members] == history.loss[epoch - 1, members]).all()


def test_two_workers_change_no_bit(tmp_path: Path) -> None:
    X, y = table()
    for method in ("dare", "anchor_net"):
        model = EnsembleRegressor(method, **THREE)
        alone = model.fit(X, y, **ENOUGH_HELD_OUT)
        split_up = EnsembleRegressor(method, **THREE, n_jobs=2)
        split_up.fit(X, y, **ENOUGH_HELD_OUT)
        assert_same_fit(alone, split_up)
        assert len(alone.trials_) == len(split_up.trials_)
    checkpointed = EnsembleRegressor(**THREE, n_jobs=2)
    checkpointed.fit(X, y, checkpoint=tmp_path)
    assert_same_fit(EnsembleRegressor(**THREE).fit(X, y), checkpointed)
    one, other = "members-0-1.safetensors", "members-2-2.safetensors"
    assert sorted(str(path.relative_to(tmp_path)) for path in files_in(tmp_path)) == [
        *(
            f"left-out-{k}/{place}training-1-{of}"
            for k in range(1, 6)
            for place in ("centre/", "")
            for of in (one, other)
        ),
        *(f"training-{k}-{of}" for k in (1, 2) for of in (one, other)),
    ]
    before = files_in(tmp_path)
    # One process goes on from what two have written: groups are the same.
    for n_jobs in (2, None):
        again = EnsembleRegressor(**THREE, n_jobs=n_jobs)
        assert_same_fit(checkpointed, again.fit(X, y, checkpoint=tmp_path))
    assert before == files_in(tmp_path)


def files_in(folder: Path) -> dict[Path, int]:
    """Return all files, also of folders in it, and when they were written."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path: path.stat().st_mtime_ns for path in files}


def test_who_watches_changes_no_bit() -> None:
    X, y = table()
    seen: list[Epoch] = []
    watched = EnsembleRegressor(**THREE, callbacks=[seen.append]).fit(X, y)
    assert_same_fit(EnsembleRegressor(**THREE).fit(X, y), watched)
    assert {epoch.loss.shape for epoch in seen} == {(3,)}


@pytest.mark.parametrize("method", ["mod", "negative_correlation"])
def test_candidates_train_side_by_side(method: str, tmp_path: Path) -> None:
    X, y = table()
    alone = EnsembleRegressor(method, **THREE).fit(X, y, **ENOUGH_HELD_OUT)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "n_jobs has no effect")
        model = EnsembleRegressor(method, **THREE, n_jobs=2)
        model.fit(X, y, **ENOUGH_HELD_OUT, checkpoint=tmp_path)
    assert_same_fit(alone, model)
    assert [repr(m) for m, _ in model.trials_] == [repr(m) for m, _ in alone.trials_]
    # A candidate trained for nothing is one that was not asked for in the end.
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files[:2] == ["training-1.safetensors", "training-2.safetensors"]
    assert 0 <= len(files) - len(model.trials_) <= 1


@dataclass
class Watched(DeepEnsemble):
    """A search that leaves the numbers of its processes behind."""

    folder: str = ""
    number: int = 0
    stop: bool = False

    def init(self, network, data, seeds):
        Path(self.folder, str(self.number)).write_text(str(os.getpid()))
        if self.number == 1:
            raise DivergedError("Training diverged.")

    def run(self, train):
        grid = [Watched(self.folder, number, self.stop) for number in range(4)]
        fits = tried(train, grid, self.stop)
        return best([*fits, train(Watched(self.folder, 9))])


@pytest.mark.parametrize("stop", [False, True])
def test_more_workers_than_members_train_candidates_too(
    stop: bool, tmp_path: Path
) -> None:
    X, y = table()
    said, files = (tmp_path / name for name in ("said", "files"))
    said.mkdir()
    method = Watched(str(said), stop=stop)
    model = EnsembleRegressor(method, **{**THREE, "n_members": 1})
    model.fit(X, y, **ENOUGH_HELD_OUT)
    alone = [m.number for m, _ in model.trials_]
    own = str(os.getpid())
    assert {path.read_text() for path in said.iterdir()} == {own}
    # All candidates are alike, so a search stops at the second that does not diverge.
    assert alone == ([0, 2, 9] if stop else [0, 2, 3, 9])
    model.set_params(n_jobs=2).fit(X, y, **ENOUGH_HELD_OUT, checkpoint=files)
    assert [m.number for m, _ in model.trials_] == alone
    # With a search that stops, the fourth candidate was trained for nothing.
    assert [(said / str(n)).read_text() == own for n in range(4)] == [False] * 4
    assert sorted(path.name for path in files.iterdir()) == [
        f"training-{k}.safetensors" for k in (1, 3, 4, 5)
    ]


def test_a_classifier_with_weights_and_its_own_network_is_split_too() -> None:
    X, y = labelled()
    weight = np.linspace(0, 1, len(y))

    def fit(**more):
        network = nn.Sequential(nn.Linear(3, 5), nn.GELU(), nn.Linear(5, 3))
        model = EnsembleClassifier(**{**THREE, **more}, network=network)
        return model.fit(X, y, sample_weight=weight)

    assert_same_fit(fit(), fit(n_jobs=2))


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"method": MOD(strength=1.0)}, "members of MOD see each other"),
        ({"method": "repulsive"}, "members of Repulsive see each other"),
        ({"callbacks": [lambda epoch: None]}, "callbacks are told of all members"),
        (
            {"network": nn.Sequential(nn.Linear(3, 4), nn.Dropout(), nn.Linear(4, 2))},
            "the network draws at random",
        ),
    ],
)
def test_what_cannot_be_split_says_so_and_is_the_same(settings, reason) -> None:
    X, y = table()
    settings = {**QUICK, "epochs": 1, **settings}
    with pytest.warns(UserWarning, match=f"n_jobs has no effect: {reason}"):
        asked = EnsembleRegressor(**settings, n_jobs=2).fit(X, y)
    assert_same_fit(EnsembleRegressor(**settings).fit(X, y), asked)


def workers_of(n_jobs: int | None) -> int:
    network, data = mlp([2, 3, 1], seeds=[1, 2]), Data(zeros(4, 2), zeros(4, 1))
    settings = Settings(epochs=1, batch_size=2, lr=0.1, seeds=[1, 2])
    problem = Problem(data, data, SquaredError())
    trainer = Trainer(Plan(network, problem, settings))
    with shared_out(trainer, n_jobs) as train:
        return 1 if train is trainer else train.n_workers


def test_one_process_trains_without_workers() -> None:
    assert workers_of(None) == workers_of(1) == 1
    with joblib.parallel_config(n_jobs=2):
        assert workers_of(None) == 2


def test_one_group_does_not_run_the_network_to_see_if_it_draws(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Plan] = []
    monkeypatch.setattr(Plan, "_draws", property(asked.append))
    EnsembleRegressor(**QUICK).fit(*table())
    assert not asked
    EnsembleRegressor(**THREE).fit(*table())
    assert asked


def test_a_worker_starts_no_workers() -> None:
    assert workers_of(2) == 2
    calls = [joblib.delayed(workers_of)(2) for _ in range(2)]
    assert joblib.Parallel(2)(calls) == [1, 1]


def test_threads_are_no_workers() -> None:
    with joblib.parallel_config("threading", n_jobs=2):
        assert workers_of(2) == 1


@pytest.mark.parametrize("name", METHODS)
def test_methods_that_share_batches_are_not_independent(name: str) -> None:
    method: type[Method] = METHODS[name]
    assert not (method.independent and method.shared_batches)


@dataclass
class Breaks(DeepEnsemble):
    """A search whose third candidate cannot be trained, and need not be."""

    number: int = 0

    def init(self, network, data, seeds):
        if self.number == 2:
            raise MemoryError("Too large.")

    def run(self, train):
        return best(tried(train, [Breaks(number) for number in range(3)], stop=True))


def test_a_candidate_that_is_not_needed_may_fail() -> None:
    settings = {**THREE, "n_members": 1, "n_jobs": 3}
    trials = EnsembleRegressor(Breaks(), **settings).fit(*table()).trials_
    assert [method.number for method, _ in trials] == [0, 1]


# Last come tests that end their workers, as new ones take seconds.


def seeds_of_orders(n_members: int) -> list[int]:
    """Return what a fit with random_state=0 draws for the order of members' rows."""
    drawn = int(np.random.RandomState(0).randint(2**31 - 1))
    seeds = np.random.SeedSequence(drawn).generate_state(2 * n_members)
    return [int(seed) for seed in seeds[1::2]]


@dataclass
class DivergesFor(DeepEnsemble):
    """A method that one member cannot be trained with."""

    seed: int = 0

    def init(self, network, data, seeds):
        if self.seed in seeds:
            raise DivergedError("Training diverged: a member of bad luck.")


def test_nobody_waits_for_a_member_that_diverged() -> None:
    model = EnsembleRegressor(DivergesFor(seeds_of_orders(3)[1]), **THREE, n_jobs=2)
    with pytest.raises(DivergedError, match="bad luck"):
        model.fit(*table())


def test_the_first_group_draws_the_line(capfd: pytest.CaptureFixture[str]) -> None:
    get_reusable_executor().shutdown()  # older workers write to another test's stderr
    EnsembleRegressor(**THREE, n_jobs=2, verbose=True).fit(*table())
    lines, both = capfd.readouterr().err, ("DARE", "DeepEnsemble")
    drawn = re.findall(r"(\w[\w ]* \(\w+\)): 100%", lines)
    # A line that ends may be drawn twice, as it is with tqdm 4.66.
    assert [line for line, _ in groupby(drawn)] == [
        "fit 1 (DeepEnsemble)",
        "fit 2 (DARE)",
        *(f"left out {k} of 5 ({of})" for k in range(1, 6) for of in both),
    ]


@dataclass
class DiesFor(DeepEnsemble):
    """A method whose worker is killed, as by the system when memory runs out."""

    seed: int = 0
    made_in: int = field(default_factory=os.getpid)
    independent: ClassVar[bool] = True

    def init(self, network, data, seeds):
        if self.seed in seeds:
            assert os.getpid() != self.made_in, "only a worker may be killed"
            os.kill(os.getpid(), signal.SIGKILL)


@KILLS
def test_a_killed_worker_is_an_error_that_names_the_members() -> None:
    X, y = table()
    model = EnsembleRegressor(DiesFor(seeds_of_orders(3)[2]), **THREE, n_jobs=2)
    with pytest.raises(RuntimeError, match=r"Members .*2 were lost: a worker died"):
        model.fit(X, y)
    # The next fit has new workers.
    assert_same_fit(
        EnsembleRegressor(**THREE, n_jobs=2).fit(X, y, **ENOUGH_HELD_OUT),
        EnsembleRegressor(**THREE).fit(X, y, **ENOUGH_HELD_OUT),
    )


def test_a_diverged_member_keeps_its_number() -> None:
    X, y = table()
    model = EnsembleRegressor(DARE(threshold=1.0), **{**THREE, "lr": 1e20}, n_jobs=2)
    with pytest.raises(ValueError, match=r"diverged: member [012] .* lower lr"):
        model.fit(X, y)
