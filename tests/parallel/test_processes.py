"""Processes share work out, use one thread each, and end with whoever started them."""

import os
import signal
import subprocess
import sys

import pytest

from antireg.parallel.processes import LostProcessError, in_processes
from tests.systems import KILLS

ENDLESS = """
import os, time
from antireg.parallel.processes import in_processes

def sleep(number):
    print(os.getpid(), flush=True)
    time.sleep(600)

list(in_processes(sleep, range(2), 2))
"""


def square(number: int) -> tuple[int, int, int]:
    return number, number**2, os.getpid()


def test_every_item_is_done_elsewhere() -> None:
    done = list(in_processes(square, range(7), 2))
    assert sorted(found[:2] for found in done) == [(n, n**2) for n in range(7)]
    assert os.getpid() not in {pid for *_, pid in done}


def threads(_: int) -> tuple[int, str | None]:
    import torch  # noqa: PLC0415 -- other workers do without, and start sooner

    return torch.get_num_threads(), os.environ.get("OMP_NUM_THREADS")


def test_each_has_one_thread_and_the_caller_keeps_its_own() -> None:
    before = threads(0)
    assert set(in_processes(threads, range(2), 2)) == {(1, "1")}
    assert threads(0) == before


def test_items_may_depend_on_results() -> None:
    found: list[int] = []

    def items():
        while len(found) < 5:
            yield len(found)

    for number, *_ in in_processes(square, items(), 2):
        found.append(number)
    # Were all items taken before the first result, this would never end.
    assert len(found) >= 5
    assert max(found) <= 4


def fail(number: int) -> int:
    if number == 1:
        raise KeyError("number")
    return number


def test_an_error_of_the_function_is_raised() -> None:
    with pytest.raises(KeyError, match="number"):
        list(in_processes(fail, range(3), 2))


def die(number: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@KILLS
def test_a_process_that_dies_is_told_in_a_sentence() -> None:
    with pytest.raises(LostProcessError, match="One of 2 processes died"):
        list(in_processes(die, range(2), 2))


def test_a_process_does_not_wait_for_its_own_end() -> None:
    """It is not its own parent: it would end at once."""
    code = (
        "import os, threading\n"
        "from antireg.parallel.processes import end_with\n"
        "end_with(os.getpid())\n"
        "assert threading.active_count() == 1\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_they_end_with_the_process_that_started_them() -> None:
    command = [sys.executable, "-c", ENDLESS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = [int(parent.stdout.readline()) for _ in range(2)]
        assert parent.pid not in workers
        parent.kill()
        # They hold the other end: it closes only when both have ended.
        assert parent.stdout.read() == ""
