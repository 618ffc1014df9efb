"""The gates and the detector pass the checks of scikit-learn."""

import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from antireg import TrustedClassifier, TrustedDetector, TrustedRegressor

pytestmark = pytest.mark.filterwarnings("ignore:doubt was not learned")

REASON = (
    "Folds and regions are drawn at random: a row of weight 2 is not in them exactly "
    "like two rows."
)


def excused(estimator: object) -> dict[str, str]:
    return {
        "check_sample_weight_equivalence_on_dense_data": REASON,
        "check_sample_weight_equivalence_on_sparse_data": REASON,
    }


@parametrize_with_checks(
    [
        TrustedRegressor(Ridge(), random_state=0),
        TrustedClassifier(LogisticRegression(), random_state=0),
        TrustedClassifier(DecisionTreeClassifier(max_depth=3), random_state=0),
        TrustedDetector(random_state=0),
    ],
    expected_failed_checks=excused,
)
def test_scikit_learns_contract(estimator, check) -> None:
    check(estimator)
