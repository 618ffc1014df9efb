import threading

import pytest
import torch

from antireg.networks.threads import THREADS, one_thread, one_thread_each


@pytest.fixture
def three_threads():
    """What a user may have set, to be found again."""
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def test_one_thread_ends_with_the_users_number(three_threads) -> None:
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 3


def test_one_thread_gives_the_number_back_after_an_error(three_threads) -> None:
    with pytest.raises(RuntimeError), one_thread():
        raise RuntimeError
    assert torch.get_num_threads() == 3


def test_each_thread_of_a_pool_takes_one(three_threads) -> None:
    with one_thread_each(2) as pool:
        said = list(pool.map(lambda _: torch.get_num_threads(), range(8)))
    assert said == [1] * 8
    assert torch.get_num_threads() == 3


@pytest.mark.skipif(not THREADS.exists(), reason="threads are listed by Linux only")
def test_threads_of_a_pool_are_gone_with_it() -> None:
    def product(_: int) -> int:
        torch.rand(3, 32, 64) @ torch.rand(3, 64, 64)
        return threading.get_native_id()

    for _ in range(200):  # some were not, as they freed the memory of MKL
        with one_thread_each(2) as pool:
            threads = set(pool.map(product, range(4)))
        assert not [thread for thread in threads if (THREADS / str(thread)).exists()]
