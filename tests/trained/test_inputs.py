import numpy as np
import pytest
import torch
from sklearn.base import BaseEstimator

from antireg.trained.inputs import MOST_ROWS, check_inputs, parts_of


def test_any_axes_are_taken_and_then_required() -> None:
    model = BaseEstimator()
    X = np.zeros((4, 1, 3, 3), dtype=np.float32)
    checked = check_inputs(model, X, "X", reset=True)
    assert checked.shape == X.shape
    assert checked.dtype == np.float32
    assert model.input_shape_ == (1, 3, 3)
    with pytest.raises(
        ValueError, match=r"^reference must have rows of shape \(1, 3, 3"
    ):
        check_inputs(model, np.zeros((4, 1, 9)), "reference", reset=False)


def test_tensors_are_rows_too_also_with_gradients() -> None:
    X = torch.rand(4, 2, requires_grad=True)
    checked = check_inputs(BaseEstimator(), X, "X", reset=True)
    assert np.array_equal(checked, X.detach().numpy())


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_is_refused(bad: float) -> None:
    X = np.zeros((4, 1, 2))
    X[1, 0, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        check_inputs(BaseEstimator(), X, "X", reset=True)


def test_names_of_columns_are_learned() -> None:
    pandas = pytest.importorskip("pandas")
    model = BaseEstimator()
    check_inputs(model, pandas.DataFrame({"a": [1.0, 2.0]}), "X", reset=True)
    assert model.feature_names_in_.tolist() == ["a"]
    assert model.n_features_in_ == 1


def test_parts_hold_all_rows_once_and_few_numbers() -> None:
    X = np.zeros((2 * MOST_ROWS + 3, 1))
    lengths = [len(X[part]) for part in parts_of(X)]
    assert lengths == [MOST_ROWS, MOST_ROWS, 3]
    wide = np.zeros((5, 2**19, 1), dtype=np.float32)
    assert [len(wide[part]) for part in parts_of(wide)] == [2, 2, 1]
    assert parts_of(np.zeros((0, 1))) == []
