import pytest
import torch


@pytest.fixture(autouse=True)
def one_thread():
    """Little networks wait for a second thread longer than they compute."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
