import numpy as np
import pytest

from antireg.rows import stored
from antireg.rows.scaling import (
    LARGEST,
    OUTLIER_LIMIT,
    SCALINGS,
    fit_input_scaling,
    fit_scaling,
)


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


def constant_beside(others: np.ndarray, value: float) -> np.ndarray:
    return np.column_stack([others, np.full(len(others), value)])


def test_a_constant_column_of_a_standardised_table_is_scaled_like_the_others() -> None:
    """Otherwise a held-out row is a thousand times as far as any that was seen."""
    others = np.random.default_rng(0).uniform(0, 4, (50, 3))
    others[:2] = [[0.0] * 3, [4.0] * 3]
    scaling = fit_input_scaling("range", constant_beside(others, -0.03))
    assert scaling.scale.tolist() == [4.0, 4.0, 4.0, 4.0]
    assert scaling.scaled(np.array([[0.0, 0.0, 0.0, 42.0]]))[0, 3] < 11


def test_a_constant_column_beside_unlike_ones_is_scaled_by_its_own_size() -> None:
    others = np.random.default_rng(0).normal(size=(50, 3)) * [1.0, 1e6, 1e-3]
    assert fit_input_scaling("range", constant_beside(others, 0.5)).scale[3] == 0.5


def test_a_nearly_constant_column_is_not_scaled_by_a_speck() -> None:
    table = np.random.default_rng(0).uniform(0, 4, (500, 4))
    table[:2, :3] = [[0.0] * 3, [4.0] * 3]
    table[:, 3], table[7, 3] = 0.0, 1e-4
    assert fit_input_scaling("range", table).scale[3] == pytest.approx(0.04)


@pytest.mark.parametrize("kind", ["standard", "range"])
def test_an_outlier_does_not_take_all_others_to_one_point(kind: str) -> None:
    table = np.random.default_rng(0).uniform(0, 1, (400, 2))
    table[3, 0] = 1e6
    scaling = fit_input_scaling(kind, table)
    scaled = scaling.scaled(table)
    others = np.delete(scaled[:, 0], 3)
    assert others.max() - others.min() > 0.9
    assert scaled[3, 0] == OUTLIER_LIMIT
    np.testing.assert_array_equal(
        scaled[:, 1], fit_scaling(kind, table).scaled(table)[:, 1]
    )


@pytest.mark.parametrize("kind", SCALINGS)
def test_ordinary_columns_are_scaled_as_ever(kind: str) -> None:
    rng = np.random.default_rng(0)
    ordinary = rng.lognormal(0, 1.5, (1000, 4)) * [1.0, 1e6, 1e-3, 50]
    rare = (rng.random((1000, 1)) < 0.005).astype(float)
    table = np.column_stack([ordinary, rare])
    ours, plain = fit_input_scaling(kind, table), fit_scaling(kind, table)
    np.testing.assert_array_equal(ours.shift, plain.shift)
    np.testing.assert_array_equal(ours.scale, plain.scale)
    assert ours.limit is None


def test_outliers_of_many_rows_on_disk_are_found(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(stored, "LARGE", 0)
    table = np.random.default_rng(0).uniform(0, 1, (12_000, 2))
    table[6, 0] = 1e6
    np.save(tmp_path / "table.npy", table)
    rows = stored.stored_rows(np.load(tmp_path / "table.npy", mmap_mode="r"))
    assert rows is not None
    on_disk, here = fit_input_scaling("range", rows), fit_input_scaling("range", table)
    assert on_disk.limit is not None
    np.testing.assert_array_equal(on_disk.limit, [OUTLIER_LIMIT, LARGEST])
    np.testing.assert_array_equal(on_disk.scale, here.scale)
    np.testing.assert_array_equal(on_disk.shift, here.shift)
