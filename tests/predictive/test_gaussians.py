import numpy as np
import pytest

from antireg.predictive.gaussians import gaussians, highest_log_variance


def test_outputs_hold_means_and_then_log_variances() -> None:
    mixture = gaussians(np.array([[[3.0, np.log(4.0)]]]), None, 10.0)
    assert mixture.means.item() == 3
    assert mixture.variances.item() == pytest.approx(4)


def test_one_noise_is_that_of_all_rows() -> None:
    outputs = np.array([[[1.0], [2.0]], [[3.0], [4.0]]])
    mixture = gaussians(outputs, np.array([[[0.5]], [[0.25]]]), 10.0)
    np.testing.assert_array_equal(mixture.means, outputs)
    assert mixture.variances[..., 0].tolist() == [[0.5, 0.5], [0.25, 0.25]]


def test_log_variances_are_cut() -> None:
    mixture = gaussians(np.array([[[0.0, 900.0]]]), None, highest_log_variance(True))
    assert mixture.variances.item() == pytest.approx(1e12)  # a million deviations
    assert highest_log_variance(scaled=False) == 600  # e^600 is still a float
