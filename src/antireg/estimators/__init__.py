"""The two scikit-learn estimators."""

from antireg.estimators.classifier import EnsembleClassifier
from antireg.estimators.regressor import EnsembleRegressor

__all__ = ["EnsembleClassifier", "EnsembleRegressor"]
