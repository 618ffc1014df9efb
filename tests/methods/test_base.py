from dataclasses import replace

import numpy as np
import pytest
import torch

from antireg.history import History
from antireg.methods.base import Fit, Method, first_best
from antireg.methods.mod import MOD


def fit_with(method: Method, ensemble_loss: float) -> Fit:
    one = np.ones((1, 1))
    history = History(one, one, one, one, np.ones(1, dtype=np.int64), 0.0)
    return Fit(method, torch.zeros(1, 1), history, ensemble_loss)


def test_search_stops_at_the_first_candidate_that_is_no_better() -> None:
    losses = {0.0: 3.0, 0.1: 2.0, 0.2: 2.0, 0.3: 1.0}
    tried = []

    def train(method: Method) -> Fit:
        assert isinstance(method, MOD)
        tried.append(method.strength)
        return fit_with(method, losses[float(method.strength)])

    best = first_best(train, [replace(MOD(), strength=s) for s in losses])
    assert tried == [0.0, 0.1, 0.2]
    assert best.method == MOD(strength=0.1)


def test_search_needs_a_candidate() -> None:
    with pytest.raises(ValueError, match="at least one method"):
        first_best(lambda method: fit_with(method, 0.0), [])
