from functools import partial

import numpy as np
import pytest
import torch

from antireg.familiarity.doubt import ClassDoubt, Curve, Doubt
from antireg.familiarity.fitting import ClassEvidence, ValueEvidence, default_doubt
from antireg.rows.scaling import Scaling
from antireg.trained.comparing import (
    Comparing,
    Viewed,
    flattened,
    most_kept,
    moved_by,
    signals_among,
    with_known_noise,
)
from antireg.trained.inputs import MOST_ROWS

RNG = np.random.default_rng(0)


def viewed(n_rows: int, shape: tuple[int, ...] = (1, 2)) -> Viewed:
    X = RNG.normal(size=(n_rows, *shape))
    unsure = RNG.uniform(1, 2, n_rows)
    return Viewed(X, X.reshape(1, n_rows, -1), flattened(X).astype(np.float32), unsure)


def ones(scaling: Scaling) -> np.ndarray:
    return np.ones(len(scaling.shift))


def test_rows_of_several_axes_are_compared_by_all_their_numbers() -> None:
    comparing = Comparing.learned(viewed(100, (2, 3, 4)), ones, 1000, seed=0)
    signals = comparing(viewed(7, (2, 3, 4)))
    assert set(signals) >= {"nearest", "density", "columns", "hidden", "spread"}
    assert all(values.shape == (7,) for values in signals.values())


def test_far_rows_are_less_familiar_by_every_distance() -> None:
    known = viewed(200)
    comparing = Comparing.learned(known, ones, 1000, seed=0)
    far = known._replace(X=known.X + 20, hidden=known.hidden + 20)
    usual, strange = comparing(viewed(50)), comparing(far)
    for name in ("nearest", "columns", "sensitive", "hidden"):
        assert strange[name].min() > usual[name].max()


def test_what_networks_do_not_say_is_no_signal() -> None:
    bare = viewed(50)._replace(hidden=None, uncertainty=None)
    signals = Comparing.learned(bare, ones, 1000, seed=0)(bare)
    assert "hidden" not in signals
    assert "spread" not in signals


def test_references_are_few_enough_for_memory_and_speed() -> None:
    comparing = Comparing.learned(viewed(3000), ones, n_weights=10, seed=0)
    assert len(comparing.signalling.reference.inputs) == 2000
    assert most_kept(2) == 10_000
    assert most_kept(3 * 224 * 224) == 445  # 2²⁶ numbers in all
    assert most_kept(2**30) == 1


def test_signals_do_not_depend_on_what_rows_are_worked_on_together() -> None:
    comparing = Comparing.learned(viewed(100), ones, 1000, seed=0)
    rows = viewed(MOST_ROWS + 30)
    together, alone = comparing(rows), comparing(rows.at(np.arange(MOST_ROWS, 286)))
    for name, values in alone.items():
        assert together[name][MOST_ROWS:] == pytest.approx(values, rel=1e-5)


def test_parts_are_compared_with_the_others_in_the_order_of_the_rows() -> None:
    rows = viewed(40)
    rows.X[7] += 30
    learned = partial(Comparing.learned, moved=ones, n_weights=10, seed=0)
    signals = signals_among(rows, learned, seed=0)
    assert signals["nearest"].argmax() == 7
    # None of them is its own nearest.
    assert signals["nearest"].min() > learned(rows)(rows)["nearest"].max() - 10
    assert learned(rows)(rows)["nearest"][0] < signals["nearest"][0]


def test_noise_is_as_large_as_the_residuals_say() -> None:
    n_rows = 2000
    y = RNG.normal(size=(n_rows, 1)) * 3
    quiet, nothing = np.ones((n_rows, 1)), np.zeros((n_rows, 1))
    said = nothing, quiet, nothing, y, nothing, quiet
    told = ValueEvidence(np.zeros(n_rows), np.ones(n_rows), *said)
    doubt = default_doubt(np.zeros(n_rows), np.zeros(1), np.ones(1))
    found = with_known_noise(doubt, told)
    # All rows are familiar, so e^c is the mean square of the residuals over 1.
    assert isinstance(found, Doubt)
    assert found.noise == pytest.approx(np.log(np.square(y).mean()), abs=1e-3)
    assert found.curve == doubt.curve


def test_doubt_of_classes_stays_as_it_is() -> None:
    doubt = ClassDoubt(Curve(1.0, 1.0, 0.0, 1.0), np.array([0.5, 0.5]))
    one = np.ones(3)
    assert with_known_noise(doubt, ClassEvidence(one, one, one, one)) is doubt


def test_sensitivity_is_by_scaled_inputs_in_their_own_axes() -> None:
    scaling = Scaling(np.array([5.0, 0.0]), np.array([10.0, 1.0]))

    def said(rows: torch.Tensor) -> torch.Tensor:
        assert rows.shape[1:] == (2, 1)
        return 3 * rows[:, 0] + 4 * rows[:, 1]

    X = RNG.normal(size=(6, 2, 1))
    moved = moved_by([said], lambda outputs: outputs, X, scaling)
    # ∂/∂scaled = 3 · 10 and 4 · 1
    assert moved == pytest.approx([30.0, 4.0])
    both = moved_by([said, lambda rows: rows[:, 1]], lambda o: o, X, scaling)
    # Root mean squares over the networks: of 30 and 0, and of 4 and 1
    assert both == pytest.approx([np.sqrt(450), np.sqrt(8.5)])


def test_all_inputs_count_the_same_where_no_gradient_goes_through() -> None:
    scaling = Scaling(np.zeros(2), np.ones(2))

    def said(rows: torch.Tensor) -> torch.Tensor:
        return rows.detach()

    X = RNG.normal(size=(6, 2))
    moved = moved_by([said], lambda outputs: outputs, X, scaling)
    assert moved.tolist() == [1.0, 1.0]
