"""Forks, threads and modes: run in processes of their own where they must be fresh."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from torch import nn

from antireg import METHODS, EnsembleRegressor
from antireg.process import flushed_denormals, one_thread, stay_on_one_thread, training
from tests.small_models import own_network, regressor, rows
from tests.small_tables import QUICK, table, unfinished_is_fine
from tests.systems import FORKS

pytestmark = unfinished_is_fine

HANGS = 300
"""Seconds after which a program of a second's work hangs, however busy the machine."""

START = """
import multiprocessing, os, sys, warnings
import numpy as np, torch
import antireg
warnings.simplefilter("ignore")
assert torch.get_num_threads() == 2
X = np.random.default_rng(0).normal(size=(400, 3))
y = X[:, 0]
many = np.tile(X, (200, 1))
settings = {"n_members": 2, "hidden": (8,), "epochs": 1, "random_state": 0}
model = antireg.EnsembleRegressor(**settings)

def in_child(call):
    child = os.fork()
    if child == 0:
        try:
            call()
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""


def run(program: str, *arguments: object) -> None:
    """Run a program with two threads to its end, or end it and all of its children."""
    # Two threads, as on a user's machine: the tests themselves have one.
    process = subprocess.Popen(
        [sys.executable, "-c", START + textwrap.dedent(program), *map(str, arguments)],
        env=os.environ | {"OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"},
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        _, said = process.communicate(timeout=HANGS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        pytest.fail("The program hangs.")
    assert process.returncode == 0, said


@FORKS
def test_a_loaded_model_predicts_after_a_fork(folder) -> None:
    run(
        """
        model = antireg.load(sys.argv[1])
        for rows in (X, many):  # few wake no threads
            in_child(lambda: model.predict(rows))
            before = model.predict(rows)
            in_child(lambda: np.testing.assert_array_equal(
                model.predict(rows), before))
            in_child(lambda: model.predictive(rows).interval(0.9))
            model.predictive(rows).interval(0.9)
            in_child(lambda: model.predictive(rows).interval(0.9))
        """,
        folder,
    )


@FORKS
def test_fits_and_predictions_go_on_after_a_fork() -> None:
    run(
        """
        model.fit(X, y)
        before = model.predict(X)
        in_child(lambda: np.testing.assert_array_equal(model.predict(X), before))
        in_child(lambda: np.testing.assert_array_equal(
            model.fit(X, y).predict(X), before))
        in_child(lambda: model.fit(many, many[:, 0]))
        """
    )


@FORKS
def test_the_callers_own_threads_do_not_keep_a_child_waiting(folder) -> None:
    run(
        """
        model = antireg.load(sys.argv[1])
        torch.rand(4000, 1000).sum()  # wakes PyTorch's threads, which a fork loses
        in_child(lambda: model.predict(X))
        in_child(lambda: model.fit(X, y))
        in_child(lambda: antireg.load(sys.argv[1]).predict(many))
        """,
        folder,
    )


@FORKS
def test_workers_forked_from_a_loaded_model_serve_what_it_serves(folder) -> None:
    # As pre-forking servers do: load once, fork, let every worker answer many times.
    run(
        """
        model = antireg.load(sys.argv[1])
        model.predict(X[:1])
        with multiprocessing.get_context("fork").Pool(3) as workers:
            answers = workers.map(model.predict, [X[i : i + 20] for i in range(60)], 1)
        for first, answer in enumerate(answers):
            expected = model.predict(X[first : first + 20])
            np.testing.assert_array_equal(answer, expected)
        """,
        folder,
    )


@FORKS
def test_a_fork_while_another_thread_trains_can_train() -> None:
    run(
        """
        import threading
        begun, ended = threading.Event(), threading.Event()

        def watch(epoch):
            begun.set()
            ended.wait()

        slow = antireg.EnsembleRegressor(**settings, callbacks=[watch])
        thread = threading.Thread(target=slow.fit, args=(X, y))
        thread.start()
        begun.wait()
        in_child(lambda: model.fit(X, y).predict(X))
        ended.set()
        thread.join()
        """
    )


def network_with_dropout(n_inputs: int, n_outputs: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(n_inputs, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, n_outputs)
    )


def test_fits_in_threads_are_those_of_one_thread_and_leave_its_random_numbers() -> None:
    X, y = table()
    models = [
        EnsembleRegressor(**QUICK | {"random_state": seed, "epochs": 20, **more})
        for seed in range(3)
        for more in ({}, {"network": network_with_dropout}, {"method": "mod"})
    ]
    alone = [model.fit(X, y).predict(X) for model in models]
    torch.manual_seed(7)
    before = torch.random.get_rng_state()
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda model: model.fit(X, y).predict(X), models))
    assert torch.equal(torch.random.get_rng_state(), before)
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)


def flushes() -> bool:
    return (torch.tensor(1e-40, dtype=torch.float32) * 1.0).item() == 0.0


@pytest.mark.parametrize("flushed", [True, False])
@pytest.mark.parametrize("fails", [True, False])
def test_the_callers_denormals_are_as_they_were(flushed: bool, fails: bool) -> None:
    def callback(epoch: object) -> None:
        if fails:
            raise ZeroDivisionError

    if not torch.set_flush_denormal(flushed):
        pytest.skip("this processor cannot flush denormals")
    try:
        model = EnsembleRegressor(**QUICK, callbacks=[callback])
        try:
            model.fit(*table())
        except ZeroDivisionError:
            assert fails
        assert flushes() == flushed
    finally:
        torch.set_flush_denormal(False)


class Modes:
    """Ways a caller may have set PyTorch, by name."""

    @staticmethod
    def float64() -> "Default":
        return Default(torch.float64)

    no_grad = torch.no_grad
    inference_mode = torch.inference_mode

    @staticmethod
    def autocast() -> torch.autocast:
        return torch.autocast("cpu", dtype=torch.bfloat16)


class Default:
    """The default dtype, for a while."""

    def __init__(self, dtype: torch.dtype) -> None:
        self.dtype = dtype

    def __enter__(self) -> None:
        torch.set_default_dtype(self.dtype)

    def __exit__(self, *error: object) -> None:
        assert torch.get_default_dtype() == self.dtype  # the fit gave it back
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("mode", ["float64", "no_grad", "inference_mode", "autocast"])
@pytest.mark.parametrize("method", METHODS)
def test_a_fit_is_the_same_in_any_mode_of_pytorch(mode: str, method: str) -> None:
    X, y = table()
    plain = EnsembleRegressor(method, **QUICK).fit(X, y)
    model = EnsembleRegressor(method, **QUICK)
    with getattr(Modes, mode)():
        model.fit(X, y)
        predicted = model.predict(X)
    np.testing.assert_array_equal(predicted, plain.predict(X))


@pytest.mark.parametrize("mode", ["float64", "no_grad", "inference_mode", "autocast"])
def test_own_networks_are_the_same_in_any_mode(mode: str, tmp_path) -> None:
    plain = regressor(network=own_network)
    X = rows()[0]
    with getattr(Modes, mode)():
        model = regressor(network=own_network)
        predicted = model.predict(X)
    np.testing.assert_array_equal(predicted, plain.predict(X))


def test_one_thread_is_given_back_in_every_thread_however_calls_overlap() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    inside, leave = threading.Barrier(3), threading.Barrier(3)

    def call() -> tuple[int, int]:
        with one_thread():
            inside.wait()
            within = torch.get_num_threads()
            leave.wait()
        return within, torch.get_num_threads()

    try:
        with ThreadPoolExecutor(3) as pool:
            seen = [pool.submit(call) for _ in range(3)]
            assert [future.result() for future in seen] == [(1, 2)] * 3
        assert torch.get_num_threads() == 2
        with ThreadPoolExecutor(1) as pool:  # a new thread has the number set last
            assert pool.submit(torch.get_num_threads).result() == 2
    finally:
        torch.set_num_threads(before)


def test_calls_within_calls_stay_on_one_thread_to_the_end() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with one_thread():
            with one_thread(), flushed_denormals(), training():
                pass
            assert torch.get_num_threads() == 1
            with ThreadPoolExecutor(1, initializer=stay_on_one_thread) as pool:
                pool.submit(one_thread().__enter__).result()
                assert pool.submit(torch.get_num_threads).result() == 1
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
