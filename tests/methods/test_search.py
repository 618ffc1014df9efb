from dataclasses import replace

import numpy as np
import pytest
import torch

from antireg.history import History
from antireg.methods.base import DivergedError, Fit, Method
from antireg.methods.mod import MOD
from antireg.methods.search import best, tried


def fit_with(method: Method, ensemble_loss: float) -> Fit:
    one = np.ones((1, 1))
    history = History(one, one, one, one, np.ones(1, dtype=np.int64), 0.0)
    return Fit(method, torch.zeros(1, 1), history, ensemble_loss)


def test_search_stops_at_the_first_candidate_that_is_no_better() -> None:
    losses = {0.0: 3.0, 0.1: 2.0, 0.2: 2.0, 0.3: 1.0}
    asked = []

    def train(method: Method, ahead=()) -> Fit:
        assert isinstance(method, MOD)
        assert list(ahead) == grid[grid.index(method) + 1 :]
        asked.append(method.strength)
        return fit_with(method, losses[float(method.strength)])

    grid = [replace(MOD(), strength=s) for s in losses]
    fits = tried(train, grid, stop=True)
    assert asked == [0.0, 0.1, 0.2]
    assert best(fits).method == MOD(strength=0.1)
    assert len(tried(train, grid, stop=False)) == 4


def test_a_candidate_that_diverges_is_passed_over() -> None:
    def train(method: Method, ahead=()) -> Fit:
        assert isinstance(method, MOD)
        if method.strength == 0.1:
            raise DivergedError("too much")
        return fit_with(method, 1.0 - float(method.strength))

    fits = tried(train, [MOD(strength=s) for s in (0.0, 0.1, 0.2)], stop=True)
    assert [fit.method for fit in fits] == [MOD(strength=0.0), MOD(strength=0.2)]


def test_a_search_in_which_all_diverge_says_so() -> None:
    def train(method: Method, ahead=()) -> Fit:
        raise DivergedError("too much")

    with pytest.raises(DivergedError, match="too much"):
        tried(train, [MOD(strength=0.1)], stop=True)
