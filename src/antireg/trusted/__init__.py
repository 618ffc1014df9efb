"""Gates: any scikit-learn estimator, with where not to trust it."""

from antireg.trusted.classifier import TrustedClassifier
from antireg.trusted.detector import TrustedDetector
from antireg.trusted.regressor import TrustedRegressor

__all__ = ["TrustedClassifier", "TrustedDetector", "TrustedRegressor"]
