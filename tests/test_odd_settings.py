"""Every setting with every odd value: it works, or a sentence says what it must be."""

import inspect
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch

from antireg import DARE, METHODS, EnsembleClassifier, EnsembleRegressor, load
from antireg.estimators.settings import check_settings
from antireg.methods.base import DivergedError
from antireg.rows.checks import shown
from tests.small_tables import QUICK, labelled, table, unfinished_is_fine

pytestmark = [
    unfinished_is_fine,
    pytest.mark.filterwarnings("ignore:n_jobs has no effect"),
]

MODELS = {EnsembleRegressor: table(40), EnsembleClassifier: labelled(40, 2)}

ODD = [
    *(None, True, False, -1, 0, 1, 2.5, 10**12, 2**40, 10**400, -(10**400), 1j),
    *(float("nan"), float("inf"), -float("inf"), 1e-320, 1e300, "", "x", b"x"),
    *((), [], {}, set(), (1, 2), ("a",), (10**9,), (True,), (1.5,), iter([3])),
    *(np.array([1, 2]), np.array([]), np.array(3), np.array("x"), np.float32(0.5)),
    *(np.int64(-3), np.str_("y"), object(), int, len, lambda *_: 1, Exception("no")),
]

LONG = {
    *(("steps", 10**12), ("epochs", 10**12), ("epochs", None)),
    *(("n_jobs", -1), ("n_jobs", np.int64(-3))),
}
"""Honest settings that take long: checked at the door only."""

SETTINGS = [
    (model, name) for model in MODELS for name in inspect.signature(model).parameters
]
METHOD_SETTINGS = [
    (method, name) for method in METHODS for name in METHODS[method]().get_params()
]


def is_long(name: str, value: object) -> bool:
    return any(name == n and type(value) is type(v) and value == v for n, v in LONG)


def try_to_fit(model, setting: str, path: Path) -> None:
    """Fit, save and load, and look at what is said if the fit fails."""
    try:
        model.fit(*MODELS[type(model)])
    except DivergedError:
        return  # says what to change, as for any training
    except ValueError as error:
        said = str(error)
        assert setting in said, said
        assert "\n" not in said, said
        assert len(said) < 400, said
    else:
        if model.network is None:
            model.save(path / "model")
            load(path / "model")


@pytest.mark.parametrize(("kind", "name"), SETTINGS)
def test_odd_settings_work_or_are_named(kind: type, name: str, tmp_path: Path) -> None:
    for value in ODD:
        model = kind(**QUICK | {"epochs": 1} | {name: value})
        if is_long(name, value):
            check_settings(model)
        else:
            try_to_fit(model, name, tmp_path)


@pytest.mark.parametrize(("method", "name"), METHOD_SETTINGS)
def test_odd_settings_of_methods_work_or_are_named(
    method: str, name: str, tmp_path: Path
) -> None:
    for value in ODD:
        model = EnsembleRegressor(**QUICK | {"epochs": 1})
        model.set_params(method=method, **{f"method__{name}": value})
        try_to_fit(model, name, tmp_path)


STRANGE = [
    *({"verbose": 1}, {"verbose": 0}, {"robust": 1}, {"n_jobs": True}),
    *({"random_state": True}, {"hidden": np.array([8])}, {"hidden": range(3, 5)}),
    *({"device": torch.device("cpu")}, {"lr": Fraction(1, 100)}, {"lr": np.float32(1)}),
    *({"false_alarm_rate": Fraction(1, 20)}, {"validation_fraction": Fraction(1, 5)}),
    *({"batch_size": np.int64(8)}, {"n_members": np.int8(2)}),
    *({"method": DARE(delta=Fraction(1, 2))}, {"method": DARE(delta=np.float32(1))}),
]


@pytest.mark.parametrize("setting", STRANGE, ids=str)
def test_what_was_fitted_with_a_strange_setting_can_be_saved(setting, tmp_path) -> None:
    X, y = table(40)
    model = EnsembleRegressor(**{**QUICK, "epochs": 1, **setting})
    try:
        model.fit(X, y)
    except ValueError as error:
        assert f"{next(iter(setting))} must be" in str(error)
        return
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert np.array_equal(again.predict(X), model.predict(X))
    again.fit(X, y)


@pytest.mark.parametrize("dtype", ["float16", "float32", ">i4", "u1", "bool"])
def test_labels_of_strange_types_can_be_saved(dtype: str, tmp_path) -> None:
    X, y = labelled(40, 2)
    model = EnsembleClassifier(**{**QUICK, "epochs": 1})
    model.fit(X, (y == "a").astype(dtype)).save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert np.array_equal(again.classes_, model.classes_)


def test_members_beyond_any_memory_are_refused_before_it_is_asked_for() -> None:
    for settings in ({"hidden": (10**9,)}, {"hidden": (10**5, 10**5)}):
        with pytest.raises(ValueError, match=r"hidden and n_members must make up"):
            EnsembleRegressor(**QUICK | settings).fit(*table(40))


def test_a_value_is_shown_in_one_short_line() -> None:
    class Mute:
        def __repr__(self) -> str:
            raise RuntimeError

    assert shown("a\nb") == r"'a\nb'"
    assert shown(np.zeros((2, 2))) == "array([[0., 0.], [0., 0.]])"
    assert len(shown(10**400)) == 80
    assert shown(10**5000) == "a int"  # Python does not write numbers this long
    assert shown(Mute()) == "a Mute"
