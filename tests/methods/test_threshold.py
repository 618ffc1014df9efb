import math
import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning

from antireg.methods.base import NO_BOUNDS, Bounds
from antireg.methods.threshold import threshold_above


@pytest.mark.parametrize(("loss", "threshold"), [(2.0, 2.5), (-2.0, -1.5)])
def test_without_bounds_it_is_a_share_above_the_loss(loss, threshold) -> None:
    assert threshold_above(loss, 0.25, NO_BOUNDS, "X") == threshold


def test_the_slack_of_a_log_likelihood_is_at_most_delta() -> None:
    assert threshold_above(-4.0, 0.25, Bounds(math.inf, 1.0), "X") == -3.75


def test_it_is_at_most_halfway_to_a_constant_guess_and_says_so() -> None:
    with pytest.warns(ConvergenceWarning, match=r"^X: threshold=1\.5 .* 1\.1"):
        assert threshold_above(1.0, 0.5, Bounds(1.2, 1.0), "X") == pytest.approx(1.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert threshold_above(1.0, 0.5, Bounds(0.8, 1.0), "X") == 1.0
