"""What an ensemble says of rows, as one object."""

from antireg.predictive.log_normal import LogNormalMixture
from antireg.predictive.mixture import GaussianMixture
from antireg.predictive.probabilities import ClassProbabilities

__all__ = ["ClassProbabilities", "GaussianMixture", "LogNormalMixture"]
