from __future__ import annotations

import pytest

from antireg.tables.reasons import surprise
from tests.small_models import regressor, rows


@pytest.mark.parametrize("scaling", ["range", "standard"])
def test_surprise_points_at_the_input_that_is_far_on_either_side(scaling):
    model = regressor(scaling=scaling, method="deep_ensemble")
    usual = surprise(model, rows()[0])
    assert usual.mean(axis=0) == pytest.approx([1, 1, 1], rel=0.3)
    for sign in (-1, 1):
        row = rows()[0].mean(axis=0, keepdims=True)
        row[0, 1] += sign * 10 * rows()[0][:, 1].std()
        terms = surprise(model, row)[0]
        assert terms[1] == pytest.approx(100, rel=0.3)
        assert terms[[0, 2]].max() < 1
