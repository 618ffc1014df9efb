import os
import threading

import pytest

from antireg.networks.turns import Turns
from tests.systems import FORKS


def test_threads_take_turns_and_one_may_enter_twice() -> None:
    turns, order = Turns(), []

    def work() -> None:
        with turns:
            order.append("other")

    with turns:
        other = threading.Thread(target=work)
        other.start()
        with turns:
            order.append("first")
    other.join()
    assert order == ["first", "other"]


@FORKS
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork")
def test_a_fork_does_not_wait_for_a_thread_that_it_does_not_have() -> None:
    turns, inside, done = Turns(), threading.Event(), threading.Event()

    def hold() -> None:
        with turns:
            inside.set()
            done.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    inside.wait()
    child = os.fork()
    if child == 0:
        with turns:
            os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    done.set()
    holder.join()
