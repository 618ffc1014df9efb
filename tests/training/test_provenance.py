import numpy as np
import pytest
import torch

from antireg.rows.scaling import Scaling
from antireg.training.provenance import (
    TrainingData,
    extremes,
    fingerprint,
    moments,
    remembered,
)


def test_fingerprint_depends_on_every_value_and_on_the_shape():
    X, y = np.arange(6.0).reshape(3, 2), np.array(["a", "b", "a"], dtype=object)
    known = fingerprint(X, y)
    assert fingerprint(np.asfortranarray(X), y.copy()) == known
    changed = X.copy()
    changed[2, 1] = np.nextafter(changed[2, 1], 9)
    others = [fingerprint(X.reshape(2, 3), y), fingerprint(changed, y)]
    others.append(fingerprint(X, np.array(["a", "b", "c"], dtype=object)))
    assert len({known, *others}) == 4


def test_moments_match_hand_values():
    mean, variance = moments(torch.tensor([[1.0, 0.0], [3.0, 0.0]]))
    assert mean.tolist() == [2.0, 0.0]
    assert variance.tolist() == [1.0, 0.0]


def test_the_range_is_that_of_all_parts_as_given():
    parts = np.array([[1.0, 5.0], [3.0, 5.0]]), np.array([[2.0, -7.0]])
    low, high = extremes(*parts)
    assert (low.tolist(), high.tolist()) == ([1.0, -7.0], [3.0, 5.0])
    kept = remembered(parts[0], np.zeros(2), torch.tensor([[0.0], [1.0]]), parts)
    assert (kept.n_rows, kept.low.tolist(), kept.mean.tolist()) == (2, [1, -7], [0.5])


def test_references_are_summed_up_in_the_units_of_the_user():
    inputs = np.array([[-1.0, 0.0], [1.0, 2.0]], dtype=np.float32)
    scaling = Scaling(np.array([10.0, 0.0]), np.array([2.0, 1.0]))
    found = TrainingData.of_references(inputs, scaling)
    assert found.n_rows == 2
    assert found.fingerprint == fingerprint(inputs, np.zeros(0))
    assert found.mean.tolist() == [0, 1]
    assert found.variance.tolist() == [1, 1]
    assert found.low == pytest.approx([8, 0], abs=1e-5)
    assert found.high == pytest.approx([12, 2], abs=1e-5)


def test_a_row_among_the_references_is_not_outside_their_range():
    rows = np.random.default_rng(0).normal(100, 1, (200, 5)).astype(np.float32)
    scaling = Scaling(rows.mean(axis=0).astype(float), rows.std(axis=0).astype(float))
    found = TrainingData.of_references(scaling.scaled(rows).astype("f4"), scaling)
    assert (rows >= found.low).all()
    assert (rows <= found.high).all()
    assert (found.high - rows.max(axis=0) < 1e-4).all()
