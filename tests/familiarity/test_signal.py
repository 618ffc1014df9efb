"""What holds of every signal of the registry."""

import numpy as np
import pytest

from antireg.familiarity import SIGNALS, Reference, Seen, Signal
from antireg.familiarity.columns import MOST_VALUES

AWAY = np.array([5.0, 0.0, 0.0])
"""Where the references are: in one direction, so that others can be told apart."""

FAR = np.array([0.0, 30.0, 30.0])
TURN = np.random.default_rng(9).normal(size=(3, 8))


def seen(inputs):
    """Rows of members whose spread grows with the distance from the references."""
    spread = 0.1 + np.linalg.norm(inputs - AWAY, axis=1)
    return Seen(inputs, spread, np.maximum(inputs @ TURN, 0))


def reference(n_rows):
    rows = AWAY + np.random.default_rng(0).normal(size=(n_rows, 3))
    inputs = rows.astype(np.float32)
    return Reference(inputs, np.array([1.0, 0.5, 2.0]), seen(inputs).hidden)


@pytest.fixture(params=SIGNALS)
def signal(request):
    return SIGNALS[request.param]


@pytest.mark.parametrize("n_rows", [1, 2, 40, 1500])
def test_it_gives_one_finite_number_a_row(signal: Signal, n_rows):
    known = reference(n_rows)
    memory = signal.init(known)
    rows = seen(np.random.default_rng(1).normal(size=(30, 3)))
    scores = signal.score(rows, known, memory)
    assert scores.shape == (30,)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("n_rows", [1, 40, MOST_VALUES + 500])
def test_its_memory_has_the_names_and_shapes_it_says(signal: Signal, n_rows):
    known = reference(n_rows)
    memory = signal.init(known)
    assert {k: v.shape for k, v in memory.items()} == signal.shapes(known)
    assert all(v.dtype == np.float64 for v in memory.values())


def test_rows_far_away_score_higher(signal: Signal):
    known, rng = reference(400), np.random.default_rng(2)
    memory = signal.init(known)
    rows = AWAY + rng.normal(size=(200, 3))
    near = signal.score(seen(rows), known, memory)
    far = signal.score(seen(rows + FAR), known, memory)
    assert far.min() > near.max()


def test_a_row_does_not_depend_on_its_neighbours(signal: Signal):
    known, inputs = reference(300), np.random.default_rng(3).normal(size=(40, 3))
    memory = signal.init(known)
    together = signal.score(seen(inputs), known, memory)
    alone = [signal.score(seen(inputs[[k]]), known, memory) for k in range(40)]
    # Neighbours as near as single precision can tell may take each other's place.
    np.testing.assert_allclose(np.concatenate(alone), together, rtol=1e-4, atol=1e-6)


def test_one_search_serves_all_signals_of_a_space():
    known, rows = reference(50), seen(np.zeros((2, 3)))
    first = rows.near(known.by_inputs, rows.inputs)
    assert rows.near(known.by_inputs, rows.inputs) is first


def test_without_hidden_layers_there_is_no_space_of_them():
    with pytest.raises(ValueError, match="hidden must be given"):
        Reference(np.zeros((2, 1)), np.ones(1)).by_hidden  # noqa: B018


@pytest.mark.parametrize("least", [-np.inf, "median", "each"])
def test_only_what_is_not_above_the_least_may_differ(signal: Signal, least):
    known, rng = reference(1500), np.random.default_rng(4)
    memory = signal.init(known)
    inputs = AWAY + rng.normal(size=(300, 3)) * rng.uniform(0.5, 3, size=(300, 1))
    exact = signal.score(seen(inputs), known, memory)
    if least == "median":
        least = float(np.median(exact))
    elif least == "each":
        least = rng.permutation(exact)
    found = signal.score_above(seen(inputs), known, memory, least)
    counts = exact > least
    np.testing.assert_allclose(found[counts], exact[counts], rtol=1e-6)
    assert (found[~counts] <= np.broadcast_to(least, 300)[~counts] + 1e-9).all()


def test_rows_whose_neighbours_are_near_enough_are_not_searched_for(monkeypatch):
    known, rows = reference(1500), seen(AWAY + np.zeros((4, 3)))
    signal = SIGNALS["sensitive"]
    memory = signal.init(known)
    rows.near(known.by_inputs, rows.inputs)
    exact = signal.score(rows, known, memory)
    monkeypatch.setattr(type(known.by_effect), "near", None)
    assert (signal.score_above(rows, known, memory, exact + 1) <= exact + 1).all()
    with pytest.raises(TypeError):
        signal.score_above(rows, known, memory, exact - 1)
