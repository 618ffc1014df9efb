import numpy as np
import pytest
import torch

from antireg import EnsembleClassifier, EnsembleRegressor
from antireg.networks import mlp
from antireg.networks.inference import by_passes, by_rows, scaled_inputs, seen_by
from antireg.rows.scaling import Scaling
from tests.small_tables import QUICK, SMALL, labelled, table, unfinished_is_fine
from tests.steps import linear

pytestmark = unfinished_is_fine


@pytest.mark.parametrize("chunk_numbers", [2, 3, 100])
def test_scaled_inputs_match_hand_values_in_chunks_of_any_size(
    chunk_numbers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("antireg.networks.inference.SCALED_NUMBERS", chunk_numbers)
    X = np.array([[3.0, 5.0], [1.0, -10.0], [0.0, 0.0]])
    scaling = Scaling(np.array([1.0, 0.0]), np.array([2.0, 10.0]))
    inputs = scaled_inputs(X, scaling)
    assert inputs.dtype == torch.float32
    assert inputs.tolist() == [[1.0, 0.5], [0.0, -1.0], [-0.5, 0.0]]


@pytest.mark.parametrize("chunk_numbers", [1, 2, 100])
def test_outputs_match_hand_values_in_chunks_of_any_size(
    chunk_numbers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("antireg.networks.forward.CHUNK_NUMBERS", chunk_numbers)
    monkeypatch.setattr("antireg.networks.forward.LANE", 1)
    network = linear([[2.0, 1.0], [-1.0, 0.5]])
    scaling = Scaling(np.array([1.0]), np.array([2.0]))
    # The network sees 1, 0 and 3: its members say 2x + 1 and −x + ½.
    X = np.array([[3.0], [1.0], [7.0]])
    outputs = by_rows(network, scaling, X, lambda outputs: outputs, axis=1)
    assert outputs.dtype == np.float64
    assert outputs[..., 0].tolist() == [[3.0, 1.0, 7.0], [-0.5, 0.5, -2.5]]


@pytest.mark.parametrize("make", [EnsembleRegressor, EnsembleClassifier])
def test_a_row_is_predicted_alone_as_among_others(make) -> None:
    X, y = table() if make is EnsembleRegressor else labelled()
    predictive = make(**SMALL).fit(X, y).predictive
    alone = np.concatenate([predictive(row).mean for row in X[:20, None]])
    # Members compute in float32, whose last digits depend on the size of the batch.
    np.testing.assert_allclose(alone, predictive(X).mean[:20], rtol=1e-5, atol=1e-6)


def test_long_inputs_are_predicted_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = table()
    model = EnsembleRegressor(**QUICK).fit(X, y)
    whole = model.predict(X)
    monkeypatch.setattr("antireg.networks.forward.CHUNK_NUMBERS", 30)
    monkeypatch.setattr("antireg.networks.forward.LANE", 1)
    np.testing.assert_allclose(model.predict(X), whole, rtol=1e-6)


@pytest.mark.parametrize("n_rows", [16, 17, 23])
def test_threads_share_rows_and_keep_their_order(
    n_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("antireg.networks.forward.CHUNK_NUMBERS", 1)
    monkeypatch.setattr("antireg.networks.forward.LANE", 1)
    network = linear([[2.0, 1.0], [-1.0, 0.5]])
    scaling = Scaling(np.array([0.0]), np.array([1.0]))
    X = np.arange(n_rows, dtype=float)[:, None]
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        outputs = by_rows(network, scaling, X, lambda outputs: outputs, axis=1)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    np.testing.assert_array_equal(outputs[0, :, 0], 2 * X[:, 0] + 1)
    np.testing.assert_array_equal(outputs[1, :, 0], 0.5 - X[:, 0])


def test_work_is_done_in_parts_and_put_together_in_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("antireg.networks.forward.CHUNK_NUMBERS", 1)
    monkeypatch.setattr("antireg.networks.forward.LANE", 1)
    monkeypatch.setattr("antireg.networks.inference.CHUNKS_AT_ONCE", 3)
    network = linear([[2.0, 1.0], [-1.0, 0.5]])
    scaling = Scaling(np.array([0.0]), np.array([1.0]))
    X = np.arange(7.0)[:, None]
    seen: list[int] = []

    def work(outputs: np.ndarray) -> np.ndarray:
        seen.append(outputs.shape[1])
        return outputs.sum((0, 2))

    np.testing.assert_array_equal(by_rows(network, scaling, X, work), X[:, 0] + 1.5)
    assert seen == [3, 3, 1]


def test_a_pass_holds_inputs_and_hidden_units_in_chunks_of_any_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = mlp([2, 4, 1], seeds=[0, 1])
    scaling = Scaling(np.array([1.0, 0.0]), np.array([2.0, 1.0]))
    X = np.random.default_rng(0).normal(size=(9, 2))
    whole = seen_by(network, scaled_inputs(X, scaling))
    assert whole.hidden is not None
    assert whole.hidden.shape == (9, 8)
    np.testing.assert_array_equal(whole.inputs, scaling.scaled(X).astype(np.float32))
    monkeypatch.setattr("antireg.networks.forward.CHUNK_NUMBERS", 4)
    monkeypatch.setattr("antireg.networks.forward.LANE", 1)
    # Products of other sizes may round otherwise.
    for name in ("inputs", "hidden"):
        found = by_passes(
            network, scaling, X, lambda part, name=name: getattr(part, name)
        )
        np.testing.assert_allclose(found, getattr(whole, name), rtol=1e-5, atol=1e-6)
    outputs = by_passes(network, scaling, X, lambda part: part.outputs, axis=1)
    np.testing.assert_array_equal(
        outputs, by_rows(network, scaling, X, lambda outputs: outputs, axis=1)
    )
