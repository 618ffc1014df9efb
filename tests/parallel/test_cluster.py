"""Real clusters of real processes, some of which are really killed."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

from antireg import DeepEnsemble, EnsembleRegressor
from antireg.parallel.pool import workers_for
from tests.parallel.test_workers import assert_same_fit, files_in

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:DARE"),
]


@pytest.fixture(autouse=True)
def groups_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small networks be cut as large ones are: three members in 2 + 1."""
    monkeypatch.setattr("antireg.training.groups.MANY", 2)


SETTINGS = {"n_members": 3, "hidden": (32, 32), "random_state": 0}


def rows(n_rows: int = 5000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 20))
    return X, X[:, 0] + 0.1 * rng.normal(size=n_rows)


def model(**settings: Any) -> EnsembleRegressor:
    return EnsembleRegressor(**{**SETTINGS, "epochs": 3, **settings})


def assert_same(one: EnsembleRegressor, other: EnsembleRegressor) -> None:
    """Compare the members, what was learned of doubt, and answers, to the bit."""
    assert_same_fit(one, other)
    assert one.doubt_.doubt.curve == other.doubt_.doubt.curve
    for distance in (1, 3, 100):
        X = distance * rows(200)[0]
        assert np.array_equal(one.doubt(X), other.doubt(X))
        for name in ("ood_score", "predict", "predict_interval"):
            assert np.array_equal(getattr(one, name)(X), getattr(other, name)(X)), name
    assert one.doubt(X).min() > 0


@pytest.fixture
def dask() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=None,
            worker_dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
        joblib.parallel_config("dask"),
    ):
        yield client


def killed_while_training(client: Any, times: int) -> threading.Thread:
    """Return a thread that kills a busy worker, so many times."""

    def kill() -> None:
        for _ in range(times):
            busy: list[str] = []
            while not busy:
                time.sleep(0.05)
                busy = [w for w, tasks in client.processing().items() if tasks]
            time.sleep(0.5)
            pids = client.run(os.getpid, workers=busy[:1], on_error="ignore")
            for pid in pids.values():
                os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    return thread


def test_dask_changes_no_bit_and_is_sent_the_rows_once(dask: Any) -> None:
    psutil = pytest.importorskip("psutil")
    X, y = rows(50_000)
    on_cluster = model(n_members=6, epochs=1, doubt=None)
    on_cluster.fit(X[:500], y[:500])  # so that the workers have imported all they need
    before = psutil.net_io_counters(pernic=True)["lo"].bytes_recv
    on_cluster.fit(X, y)
    moved = psutil.net_io_counters(pernic=True)["lo"].bytes_recv - before
    # A copy of the rows for each of two workers, and on its way through the scheduler;
    # not for each of twelve trainings of a member.
    size = 4 * (X.size + y.size)
    assert 2 * size < moved < 5 * size
    with joblib.parallel_config("loky"):
        alone = model(n_members=6, epochs=1, doubt=None).fit(X, y)
    assert_same_fit(alone, on_cluster)


def test_a_worker_of_dask_killed_in_a_fit_changes_nothing(dask: Any) -> None:
    X, y = rows()
    killer = killed_while_training(dask, times=1)
    before = set(dask.run(os.getpid).values())
    on_cluster = model(epochs=60).fit(X, y)
    killer.join(timeout=30)
    assert before != set(dask.run(os.getpid).values())
    with joblib.parallel_config("loky"):
        assert_same(model(epochs=60).fit(X, y), on_cluster)


def test_workers_of_dask_killed_for_good_are_an_error(dask: Any) -> None:
    X, y = rows()
    # What a cluster forgives, three deaths of a task, takes a minute to use up here.
    dask.run_on_scheduler(lambda dask_scheduler: set_forgiving(dask_scheduler, 0))
    killed_while_training(dask, times=1)
    with pytest.raises(RuntimeError, match=r"Members .* were lost.*KilledWorker"):
        model(epochs=200).fit(X, y)


def set_forgiving(scheduler: Any, deaths: int) -> None:
    scheduler.allowed_failures = deaths


def test_dask_changes_no_bit_of_doubt_and_resumes_what_its_workers_wrote(
    dask: Any, tmp_path: Path
) -> None:
    X, y = rows()
    first = model().fit(X, y, checkpoint=tmp_path)
    assert len(list(tmp_path.glob("training-1-members-*.safetensors"))) == 2
    # Each pair of members is a group, and there are several sets to rehearse without.
    assert len(list(tmp_path.glob("rehearsal-1/training-1-members-*"))) > 2
    before = files_in(tmp_path)
    assert_same(first, model().fit(X, y, checkpoint=tmp_path))
    assert before == files_in(tmp_path)
    with joblib.parallel_config("loky"):
        assert_same(first, model().fit(X, y))


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="Ray has no wheel for this Python")
    from ray.util.joblib import register_ray  # noqa: PLC0415

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    register_ray()
    yield ray
    ray.shutdown()


def test_ray_changes_no_bit(ray: Any) -> None:
    X, y = rows()
    with joblib.parallel_config("ray"):
        assert workers_for(None)[1] == 2  # without a word on how many
        on_cluster = model().fit(X, y)
    assert_same(model().fit(X, y), on_cluster)


class DiesInRay(DeepEnsemble):
    """A method whose worker is killed, as by the system when memory runs out."""

    def init(self, network: Any, data: Any, seeds: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_of_ray_that_dies_is_an_error(ray: Any) -> None:
    X, y = rows(200)
    with (
        joblib.parallel_config("ray", n_jobs=-1),
        pytest.raises(RuntimeError, match=r"Members 0, 1, 2 were lost"),
    ):
        model(method=DiesInRay()).fit(X, y)
