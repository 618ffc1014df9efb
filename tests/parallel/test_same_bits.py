"""One process, several, and a cluster: the same bits, whatever the shapes."""

import joblib
import numpy as np
import pytest

from antireg import EnsembleClassifier, EnsembleRegressor
from antireg.training.groups import groups
from tests.parallel.test_workers import assert_same_fit
from tests.small_tables import unfinished_is_fine

pytestmark = [unfinished_is_fine, pytest.mark.processor]


def drawn(seed: int):
    """Return an estimator and a table of random shapes, in more than one group."""
    rng = np.random.default_rng(seed)
    n_rows, n_inputs = int(rng.integers(60, 400)), int(rng.integers(1, 40))
    batch_size = int(rng.choice([32, 64, 127, n_rows // 2, n_rows]))
    units = tuple(rng.integers(3, 40, size=rng.integers(1, 4)).tolist())
    n_members = int(rng.integers(21, 27))
    if seed % 4:
        # At least 52,460 weights times 80 rows: even few members are cut in groups.
        units = (int(rng.integers(200, 300)), int(rng.integers(260, 400)))
        n_members, batch_size = int(rng.integers(4, 8)), max(batch_size, 80)
    settings = {
        "method": str(rng.choice(["dare", "deep_ensemble", "anchor_net"])),
        "activation": str(rng.choice(["relu", "tanh", "sigmoid", "leaky_relu"])),
        "n_members": n_members,
        "hidden": units,
        "batch_size": batch_size,
        "epochs": 2,
        "random_state": seed,
        "doubt": "rehearsed" if seed % 3 == 2 else None,
    }
    n_weights = np.dot((n_inputs, *units), (*units, 1))
    assert len(groups(n_members, n_weights, batch_size)) > 1
    X = rng.normal(size=(n_rows, n_inputs))
    y = X[:, 0] + 0.1 * rng.normal(size=n_rows)
    if seed % 2:
        return EnsembleRegressor(**settings), X, y
    return EnsembleClassifier(**settings), X, np.digitize(y, [0.0, 1.0][: 1 + seed % 3])


def assert_same(seed: int, n_jobs: int | None) -> None:
    alone, X, y = drawn(seed)
    split_up, _, _ = drawn(seed)
    split_up.set_params(n_jobs=n_jobs)
    with joblib.parallel_config("loky"):
        alone.fit(X, y)
    split_up.fit(X, y)
    assert_same_fit(alone, split_up, seed)
    far = 100 * np.random.default_rng(seed).normal(size=X.shape)
    for rows in (X, far):
        assert np.array_equal(alone.ood_score(rows), split_up.ood_score(rows)), seed
        assert np.array_equal(alone.doubt(rows), split_up.doubt(rows)), seed
    if seed % 3 == 2:
        assert alone.doubt_.doubt.curve == split_up.doubt_.doubt.curve, seed
        assert alone.doubt(far).max() > 0, seed


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_processes_change_no_bit(n_jobs: int) -> None:
    # All in one test: a fit with another number of workers starts them anew.
    for seed in range(4 * n_jobs, 4 * n_jobs + 4):
        assert_same(seed, n_jobs)


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_processes_change_no_bit_of_many_shapes(n_jobs: int) -> None:
    for seed in range(100 * n_jobs, 100 * n_jobs + 75):
        assert_same(seed, n_jobs)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_dask_changes_no_bit() -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=False,
            dashboard_address=None,
            worker_dashboard_address=None,
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        # The last two with doubt: a regressor of large members, a classifier of small.
        for seed in (0, 1, 5, 8):
            assert_same(seed, n_jobs=None)
