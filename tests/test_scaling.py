import numpy as np
import pytest

from antireg.scaling import LARGEST, SCALINGS, fit_scaling


def test_standard_gives_mean_zero_and_deviation_one() -> None:
    scaling = fit_scaling("standard", np.array([[1.0], [3.0]]))
    assert scaling.scaled(np.array([[1.0], [3.0], [5.0]])).ravel().tolist() == [
        -1,
        1,
        3,
    ]


def test_range_takes_the_ends_to_zero_and_one() -> None:
    scaling = fit_scaling("range", np.array([[2.0], [6.0], [3.0]]))
    assert scaling.scaled(np.array([[2.0], [6.0], [3.0]])).ravel().tolist() == [
        0,
        1,
        0.25,
    ]


def test_none_changes_nothing() -> None:
    values = np.array([[2.0, -7.0]])
    assert fit_scaling("none", values).scaled(values).tolist() == values.tolist()


@pytest.mark.parametrize("kind", SCALINGS)
def test_unscaled_undoes_scaled(kind: str) -> None:
    values = np.random.default_rng(0).normal(50, 3, (20, 2))
    scaling = fit_scaling(kind, values)
    np.testing.assert_allclose(scaling.unscaled(scaling.scaled(values)), values)


@pytest.mark.parametrize("kind", ["standard", "range"])
@pytest.mark.parametrize("unit", [1e12, 1.0, 1e-12])
def test_units_do_not_matter(kind: str, unit: float) -> None:
    values = np.random.default_rng(0).normal(5, 3, (20, 2))
    in_unit = fit_scaling(kind, values * unit).scaled(values * unit)
    np.testing.assert_allclose(in_unit, fit_scaling(kind, values).scaled(values))


@pytest.mark.parametrize("kind", ["standard", "range"])
@pytest.mark.parametrize("value", [0.0, 7.0, 1e12, 1e-12])
def test_a_constant_column_becomes_zero(kind: str, value: float) -> None:
    column = np.full((5, 1), value)
    scaling = fit_scaling(kind, column)
    np.testing.assert_allclose(scaling.scaled(column), 0, atol=1e-9)
    assert scaling.scale[0] == (value or 1.0)


def test_far_values_stay_in_the_range_of_float32() -> None:
    scaled = fit_scaling("standard", np.array([[0.0], [1e-300]])).scaled(
        np.array([[1e300], [-1e300]])
    )
    assert scaled.ravel().tolist() == [LARGEST, -LARGEST]


def test_a_constant_column_may_be_scaled_by_a_part_of_its_size() -> None:
    scaling = fit_scaling("standard", np.full((5, 1), 8.0), constant=0.5)
    assert scaling.scale.tolist() == [4.0]


def test_a_constant_column_of_float32_is_constant() -> None:
    scaling = fit_scaling("standard", np.full((999, 1), 0.1, dtype=np.float32))
    assert scaling.scale[0] == pytest.approx(0.1)
