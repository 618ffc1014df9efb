import re

import numpy as np
import pytest

from antireg.report.shapes import MARKERS, boxes, runs


def test_a_box_goes_from_its_upper_left_corner_around():
    one, two = np.array([1.0, 5.0]), np.array([2.0, 7.5])
    assert boxes(one, two, np.array([9.0, 9.0]), np.array([4.0, 3.0])) == (
        "M1.0,4.0H2.0V9.0H1.0zM5.0,3.0H7.5V9.0H5.0z"
    )


@pytest.mark.parametrize("marker", MARKERS)
def test_markers_begin_where_their_point_is(marker):
    """A relative move comes first, so that a place can stand before it."""
    assert re.match(r"m-?[\d.]+,-?[\d.]+", MARKERS[marker])


def test_runs_are_as_long_as_what_is_inside_goes_on():
    inside = np.array([[0, 1, 1, 0, 1], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0]], dtype=bool)
    assert runs(inside) == "M1 0h2v1h-2zM4 0h1v1h-1zM0 2h1v1h-1z"
