"""Both estimators pass the checks of scikit-learn."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from antireg import EnsembleClassifier, EnsembleRegressor
from tests.small_tables import SMALL, unfinished_is_fine

pytestmark = unfinished_is_fine

CLASSIFIER = {**SMALL, "epochs": 20, "lr": 3e-2}

REASON = (
    "Weights of rows act on the loss of random mini-batches and of a random hold-out: "
    "a row of weight 2 is not met exactly like two rows, as for all stochastic "
    "estimators of scikit-learn."
)


def excused(estimator: object) -> dict[str, str]:
    return {
        "check_sample_weight_equivalence_on_dense_data": REASON,
        "check_sample_weight_equivalence_on_sparse_data": REASON,
    }


@parametrize_with_checks(
    [
        EnsembleRegressor(**SMALL),
        EnsembleClassifier(**CLASSIFIER),
    ],
    expected_failed_checks=excused,
)
def test_scikit_learns_contract(estimator, check) -> None:
    check(estimator)
