"""Ensembles of neural networks that know when they do not know."""

from antireg import export, metrics, scores, theory
from antireg.estimators import EnsembleClassifier, EnsembleRegressor
from antireg.history import Epoch, History
from antireg.methods import (
    DARE,
    METHODS,
    MOD,
    AnchorNet,
    DeepEnsemble,
    Method,
    NegativeCorrelation,
    Repulsive,
)
from antireg.predictive import ClassProbabilities, GaussianMixture
from antireg.storage import load

__version__ = "0.1.0"

__all__ = [
    "DARE",
    "METHODS",
    "MOD",
    "AnchorNet",
    "ClassProbabilities",
    "DeepEnsemble",
    "EnsembleClassifier",
    "EnsembleRegressor",
    "Epoch",
    "GaussianMixture",
    "History",
    "Method",
    "NegativeCorrelation",
    "Repulsive",
    "export",
    "load",
    "metrics",
    "scores",
    "theory",
]
