"""Fits run in processes of their own, and end."""

import os

import pytest

pytest.importorskip("resource")  # not on Windows

from benchmarks.leaderboard.method import Method
from benchmarks.leaderboard.running import finish, start
from benchmarks.leaderboard.task import judged

from tests.benchmarks.toys import FAR, MEAN, TASK


def outcome(method: Method, limit: int = 60):
    found = []
    finish(start(method, judged(TASK, 0), 0, found.append, limit))
    return found[0]


def test_a_fit_gives_its_measures_and_times():
    assert {"nll_in", "nll_out", "fit_seconds"} <= dict(outcome(MEAN)).keys()
    assert dict(outcome(FAR))["auroc"] == 1.0


def test_a_fit_that_fails_says_why():
    def fail(known, seed):
        raise ValueError("x must be smaller")

    assert outcome(Method("fails", fail, 0)) == "ValueError: x must be smaller\n"


def test_a_fit_that_takes_too_long_is_stopped():
    def endless(known, seed):
        while True:
            pass

    assert outcome(Method("endless", endless, 0), limit=1) == "over the limit"


def test_a_process_that_dies_says_so():
    def die(known, seed):
        os._exit(3)

    assert outcome(Method("dies", die, 0)) == "ended with code 3"
