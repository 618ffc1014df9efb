import numpy as np

from antireg.monitoring.betting import N_BETS
from antireg.monitoring.naming import NOBODY, Naming
from tests.doubtful_models import curved, regressor

NEVER = np.zeros(N_BETS, dtype=bool)


def test_unusual_rows_name_the_column_that_is_far():
    X = np.zeros((3, 3))
    X[0, 2] = X[2, 1] = 1000.0
    naming = Naming(regressor())
    assert naming.names == ["x0", "x1", "x2"]
    assert naming.places(X, (), np.array([0.01, 0.01, 0.5])) == [2, NOBODY, None]
    assert naming.places(curved()[0], (), np.ones(600)) == [None] * 600


def test_columns_are_named_by_how_many_rows_name_them():
    naming = Naming(regressor())
    for place in [1, 1, 1, 0, NOBODY, None, 1, 1, 1, 1]:
        naming.add(place, NEVER)
    assert naming.columns(0) == ("x1",)
    anew = NEVER.copy()
    anew[0] = True
    naming.add(0, anew)
    assert naming.columns(0) == ()
    naming.add(0, NEVER)
    assert naming.columns(1) == ("x1", "x0")
