from __future__ import annotations

import numpy as np
import pytest

from antireg import DARE, EnsembleClassifier, EnsembleRegressor
from antireg.estimators.settings import check_settings
from tests.small_tables import QUICK, table


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_members": 0}, "n_members must be a whole number, 1 or more, got 0"),
        ({"hidden": (10, 0)}, r"hidden must be .* got \(10, 0\)"),
        ({"hidden": 10}, "hidden must be .* got 10"),
        ({"activation": "swish"}, "activation must be one of relu.* got 'swish'"),
        ({"scaling": "minmax"}, "scaling must be one of none.* got 'minmax'"),
        ({"lr": 0.0}, r"lr must be .* above 0 and below 1e\+30, got 0.0"),
        ({"lr": 1e30}, r"lr must be .* above 0 and below 1e\+30, got 1e\+30"),
        ({"epochs": 0}, "epochs must be None or a whole number"),
        ({"steps": 2.5}, "steps must be a whole number"),
        ({"patience": 0}, r'patience must be "auto", None or a whole .* ≥ 1, got 0'),
        ({"validation_fraction": 1.0}, "validation_fraction must be between 0 and 1"),
        ({"n_jobs": -(10**400)}, "n_jobs must be -10000 at least, got -1000"),
        ({"false_alarm_rate": 5}, "false_alarm_rate must be between 0 and 1, got 5"),
        ({"method": "bagging"}, "method must be a Method, auto or one of dare"),
        ({"loss": "hinge"}, "loss must be one of gaussian_nll, squared_error"),
        ({"method": DARE(threshold="low")}, "threshold must be a number or"),
        ({"method": DARE(delta=-1.0)}, "delta must be a number, 0 or more, got -1"),
        ({"method": "mod", "method__strength": "high"}, "strength must be a number or"),
    ],
)
def test_settings_that_cannot_work_are_named(settings: dict, message: str) -> None:
    X, y = table(20)
    model = EnsembleRegressor(**QUICK).set_params(**settings)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_defaults_and_whole_numbers_of_numpy_are_fine() -> None:
    check_settings(EnsembleRegressor())
    check_settings(EnsembleClassifier(n_members=np.int64(3), hidden=(), epochs=1))


def test_true_is_not_a_count() -> None:
    with pytest.raises(ValueError, match=r"steps must be a whole number.* True"):
        check_settings(EnsembleRegressor(steps=True))
