"""Both estimators pass the checks of scikit-learn."""

from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from antireg import EnsembleClassifier, EnsembleRegressor
from tests.small_tables import QUICK, SMALL, unfinished_is_fine

pytestmark = unfinished_is_fine

LEARNS = {
    "check_regressors_train": SMALL["epochs"],
    "check_classifiers_train": 20,
}
"""Epochs of the checks that ask how good a model is; the others take any fit."""

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
        EnsembleRegressor(**QUICK),
        EnsembleClassifier(**{**QUICK, "lr": 3e-2}),
    ],
    expected_failed_checks=excused,
)
def test_scikit_learns_contract(estimator, check) -> None:
    epochs = LEARNS.get(check.func.__name__, estimator.epochs)
    check(clone(estimator).set_params(epochs=epochs))
