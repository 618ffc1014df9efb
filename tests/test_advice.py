import warnings

import numpy as np
import pytest

from antireg import EnsembleRegressor
from antireg.advice import warn_user


def test_a_warning_points_to_the_line_of_the_user():
    with pytest.warns(RuntimeWarning, match="look here") as caught:
        warn_user("look here", RuntimeWarning)
    assert caught[0].filename == __file__


def test_a_warning_from_deep_in_a_fit_points_to_the_call_of_fit():
    rng = np.random.default_rng(0)
    X = np.cumsum(rng.normal(size=(300, 3)), axis=0)  # a series
    model = EnsembleRegressor(steps=10, doubt=None, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, X[:, 0])
    assert any("--groups" in str(one.message) for one in caught)
    assert {one.filename for one in caught} == {__file__}
