import numpy as np
import pytest
from sklearn.linear_model import Ridge

from antireg.familiarity.line import (
    ROOM,
    STRENGTHS,
    Fallback,
    Line,
    fit_line,
    joined_fallback,
)


def rows(n_rows=200, noise=0.5, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal([0.0, 5.0, 1.0], [1.0, 0.1, 0.0], (n_rows, 3)).astype(np.float32)
    y = 2 * x[:, :1] - 3 * x[:, 1:2] + noise * rng.normal(size=(n_rows, 1))
    return x, y.astype(np.float64)


def test_it_says_what_the_numbers_say():
    both = np.array([-4.0]), np.array([8.0])
    line = Line(np.array([[2.0], [0.0]]), np.array([1.0]), *both, np.array([0.25]))
    # 2·3 + 1 = 7; 2·9 + 1 = 19 is beyond 8, and 2·(−9) + 1 = −17 below −4.
    found = line(np.array([[3.0, 7.0], [9.0, 7.0], [-9.0, 7.0]]))
    assert found.tolist() == [[7.0], [8.0], [-4.0]]
    assert line.said(np.zeros((2, 2))).variance.tolist() == [[0.25], [0.25]]


def test_it_is_a_ridge_regression_on_standardised_columns():
    x, y = rows()
    line = fit_line(x, y, np.ones(len(y)))
    z = (x - x.mean(axis=0)) / np.maximum(x.std(axis=0), 1e-9) * (x.std(axis=0) > 1e-6)
    said = [Ridge(len(y) * a).fit(z, y).predict(z).reshape(-1, 1) for a in STRENGTHS]
    distance = [np.abs(line(x) - one).max() for one in said]
    assert min(distance) < 1e-4  # of one of the candidates, up to float32


def test_its_variance_is_that_of_new_rows():
    line = fit_line(*rows(), np.ones(200))
    x, y = rows(5000, seed=1)
    assert np.square(line(x) - y).mean() == pytest.approx(line.variance[0], rel=0.15)


def test_noise_alone_has_the_mean_and_at_most_the_variance_of_the_targets():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 20)), rng.normal(size=(60, 1))
    line = fit_line(x, y, np.ones(60))
    assert line.variance[0] <= y.var()
    assert np.abs(line(x) - y.mean()).max() < 0.5 * y.std()


def test_more_columns_than_rows_do_not_make_it_sure():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(20, 200)), rng.normal(size=(20, 1))
    for weight in (np.ones(20), np.geomspace(1, 1e6, 20)):
        line = fit_line(x, y, weight)
        assert line.variance[0] > 0.3 * np.average(
            np.square(y[:, 0] - np.average(y[:, 0], weights=weight)), weights=weight
        )


def test_a_row_of_weight_two_counts_as_two_rows():
    x, y = rows(50)
    weight = np.ones(50)
    weight[:10] = 2.0
    twice = fit_line(
        np.concatenate([x, x[:10]]), np.concatenate([y, y[:10]]), np.ones(60)
    )
    once = fit_line(x, y, weight)
    # The number of rows, and so the penalty, differs a little.
    np.testing.assert_allclose(once(x), twice(x), atol=0.05 * y.std())


def test_it_goes_half_a_range_beyond_the_seen_targets():
    x, y = rows()
    line = fit_line(x, y, np.ones(len(y)))
    far = line(np.array([[1e6, 5.0, 1.0], [-1e6, 5.0, 1.0]]))
    width = y.max() - y.min()
    assert far[:, 0] == pytest.approx(
        [y.max() + ROOM * width, y.min() - ROOM * width], rel=1e-12
    )
    assert np.isfinite(line(np.full((1, 3), 1e300))).all()


def test_targets_that_never_change_are_said_as_they_are():
    line = fit_line(rows()[0], np.full((200, 2), 3.0), np.ones(200))
    assert line(np.ones((1, 3))).tolist() == [[3.0, 3.0]]
    assert line.variance.min() > 0


def test_parts_are_joined_only_if_all_have_a_line():
    part = Fallback(np.ones((2, 1)), np.zeros((2, 1)))
    joined = joined_fallback([part, part])
    assert joined is not None
    assert joined.mean.shape == (4, 1)
    assert joined_fallback([part, None]) is None


def test_each_target_has_a_line_of_its_own():
    x, y = rows()
    both = np.concatenate([y, 10 - 4 * y], axis=1)
    line, one = (fit_line(x, t, np.ones(len(y))) for t in (both, y))
    # Targets that go together have one penalty, so the lines do too.
    np.testing.assert_allclose(line(x), np.hstack([one(x), 10 - 4 * one(x)]))
    np.testing.assert_allclose(line.variance, one.variance * [1, 16])
    np.testing.assert_allclose(line.high[1], 10 - 4 * line.low[0])
