"""The nearest references, against all distances computed one by one."""

import numpy as np
import pytest
import torch

from antireg.familiarity import neighbours
from antireg.familiarity.neighbours import FARTHEST, Space, principal_axes


def all_distances(rows, points):
    return np.linalg.norm(rows[:, None] - points[None], axis=2)


@pytest.mark.parametrize("k", [1, 4, 30])
def test_the_nearest_are_found_however_rows_are_cut(monkeypatch, k):
    rng = np.random.default_rng(0)
    points, rows = rng.normal(size=(300, 7)) + 50, rng.normal(size=(90, 7)) + 50
    distances, places = Space(points, k).near(rows)
    everyone = all_distances(rows, points)
    # Coordinates up to 4 are rounded to 2^-23 of them, and distances are above 0.1.
    np.testing.assert_allclose(distances, np.sort(everyone, axis=1)[:, :k], rtol=1e-5)
    np.testing.assert_array_equal(places, np.argsort(everyone, axis=1)[:, :k])
    monkeypatch.setattr(neighbours, "BLOCK_NUMBERS", 1000)
    again, same = Space(points, k).near(rows)
    np.testing.assert_array_equal(again, distances)
    np.testing.assert_array_equal(same, places)


def test_a_row_that_is_there_is_at_no_distance():
    points = np.random.default_rng(1).normal(size=(50, 3)) * 1e-3 + 1000
    distances, places = Space(points, 1).near(points)
    assert distances.max() == 0
    np.testing.assert_array_equal(places[:, 0], np.arange(50))


def test_a_reference_is_not_its_own_neighbour():
    space = Space(np.array([[0.0], [1.0], [3.0], [7.0]]), 1)
    np.testing.assert_allclose(space.own(2), [[1, 3], [1, 2], [2, 3], [4, 6]])
    np.testing.assert_allclose(space.own(1, most=2), [[1], [1]])


def test_fewer_references_than_asked_for_are_all_of_them():
    distances, places = Space(np.array([[0.0], [2.0]]), 10).near(np.array([[5.0]]))
    assert distances.tolist() == [[3.0, 5.0]]
    assert places.tolist() == [[1, 0]]


def test_the_floor_is_a_hundredth_of_the_median_fifth_distance():
    # Fifth neighbours of 0 … 5 are at 5, 4, 3, 3, 4, 5.
    space = Space(np.arange(6.0)[:, None], 1)
    assert space.floor == pytest.approx(0.04)


def test_rows_at_the_end_of_floats_have_finite_distances():
    space = Space(np.random.default_rng(2).normal(size=(20, 2)), 3)
    distances, _ = space.near(np.array([[1e30, -1e30], [1e15, 0.0]]))
    assert np.isfinite(distances).all()
    assert distances[0, 0] == pytest.approx(2**0.5 * FARTHEST)
    assert distances[1, 0] == pytest.approx(1e15)


def test_many_columns_are_searched_along_their_axes():
    rng = np.random.default_rng(3)
    plane = np.linalg.qr(rng.normal(size=(40, 6)))[0].T
    points, rows = rng.normal(size=(500, 6)) @ plane, rng.normal(size=(80, 6)) @ plane
    # Rows leave the plane by 2 in one more direction, which no reference has.
    rows += 2 * np.linalg.qr(np.vstack([plane, np.ones(40)]).T)[0][:, -1]
    distances, places = Space(points, 3, n_axes=6).near(rows)
    everyone = all_distances(rows, points)
    np.testing.assert_allclose(distances, np.sort(everyone, axis=1)[:, :3], rtol=1e-5)
    np.testing.assert_array_equal(places, np.argsort(everyone, axis=1)[:, :3])


@pytest.mark.parametrize("n_rows", [3, 200])
def test_principal_axes_are_those_rows_differ_along(n_rows):
    rng = np.random.default_rng(4)
    along = torch.tensor([0.0, 0.6, 0.0, 0.8], dtype=torch.float64)
    rows = torch.from_numpy(rng.normal(size=(n_rows, 1))) * along
    (axis,) = principal_axes(rows, 1).T
    np.testing.assert_allclose(axis * axis[-1].sign(), along, atol=1e-7)


@pytest.mark.parametrize("k", [2, 10, 40])
@pytest.mark.parametrize("n_references", [41, 250, 3000])
def test_among_equal_distances_any_may_be_taken_but_none_that_is_farther(
    k, n_references
):
    points = np.random.default_rng(5).integers(3, size=(n_references, 2)).astype(float)
    rows = np.array([[0.0, 0.0], [1.0, 2.0], [9.0, 1.0], [np.nan, 0.0]])
    distances, places = Space(points, k).near(rows)
    everyone = all_distances(rows[:3], points)
    nearest = np.sort(everyone, axis=1)[:, :k]
    np.testing.assert_allclose(distances[:3], nearest, rtol=1e-5, atol=1e-6)
    assert all(len(set(places_of)) == k for places_of in places[:3].tolist())
    assert np.isnan(distances[3]).all()


def test_the_nearest_of_some_references_matches_hand_values():
    space = Space(np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]), 1)
    places = np.array([[1, 2], [0, 2]])
    found = space.nearest_of(np.array([[0.0, 0.0], [6.0, 8.0]]), places)
    np.testing.assert_allclose(found, [5.0, 0.0])
