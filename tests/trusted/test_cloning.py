import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from antireg.trusted.cloning import Table, fitted, for_each
from tests.small_tables import table

X, Y = table()


def test_copies_take_the_seed_where_they_have_none():
    free = make_pipeline(StandardScaler(), RandomForestRegressor(2))
    assert fitted(free, Table(X, Y), 7).steps[-1][1].random_state == 7
    assert fitted(free, Table(X, Y), None).steps[-1][1].random_state is None
    own = RandomForestRegressor(2, random_state=3)
    assert fitted(own, Table(X, Y), 7).random_state == 3
    assert free.steps[-1][1].random_state is None


def test_weights_reach_the_last_step_of_a_pipeline():
    weight = np.r_[np.ones(60), np.zeros(60)]
    model = fitted(
        make_pipeline(StandardScaler(), LinearRegression()), Table(X, Y, weight), 0
    )
    half = fitted(LinearRegression(), Table(X[:60], Y[:60]), 0)
    np.testing.assert_allclose(model.predict(X), half.predict(X))


def test_weights_for_a_model_that_takes_none_are_an_error():
    with pytest.raises(ValueError, match=r"left out for a KNeighborsRegressor"):
        fitted(KNeighborsRegressor(), Table(X, Y, np.ones(120)), 0)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_results_come_in_the_order_of_the_items(n_jobs):
    assert for_each(lambda number: 2 * number, range(5), n_jobs) == [0, 2, 4, 6, 8]


def test_some_rows_keep_what_belongs_to_them():
    rows = Table(X, Y, np.arange(120.0), np.arange(120)).at(np.array([5, 2]))
    assert rows.weights.tolist() == rows.groups.tolist() == [5, 2]
    assert (X[[5, 2]] == rows.X).all()
