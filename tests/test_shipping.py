import pickle

import numpy as np
import torch

from antireg.data.base import Data
from antireg.shipping import Parcel, sent, unpacked


def test_rows_arrive_as_they_were_sent() -> None:
    data = Data(torch.randn(5, 3), torch.randn(5, 1), torch.rand(5))
    validation = Data(torch.randn(2, 3), torch.randn(2, 1))
    with sent(Parcel(data, validation)) as parcel:
        arrived = unpacked(pickle.loads(pickle.dumps(parcel)))
    for one, other in zip((data, validation), arrived, strict=True):
        assert torch.equal(one.x, other.x)
        assert torch.equal(one.y, other.y)
    assert torch.equal(data.weight, arrived[0].weight)
    assert arrived[1].weight is None


def test_read_only_arrays_are_taken_without_a_word() -> None:
    data = Data(torch.randn(5, 3), torch.randn(5, 1))
    parcel = Parcel(data, data)
    for part in parcel.parts:
        if isinstance(part, np.ndarray):
            part.flags.writeable = False
    assert torch.equal(unpacked(parcel)[0].x, data.x)
