"""Ensembles of neural networks that know when they do not know."""

from typing import TYPE_CHECKING

from antireg import former_names
from antireg.first_use import on_first_use
from antireg.version import __version__ as __version__

if TYPE_CHECKING:
    from antireg import metrics, scores, theory
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
    from antireg.onnx import export
    from antireg.predictive import ClassProbabilities, GaussianMixture, LogNormalMixture
    from antireg.tables.encoder import TableEncoder
    from antireg.trusted import TrustedClassifier, TrustedDetector, TrustedRegressor
    from antireg.trusted.asking import ask
    from antireg.trusted.saving import load
else:
    __getattr__, __dir__ = on_first_use(
        globals(),
        {
            "estimators": ["EnsembleClassifier", "EnsembleRegressor"],
            "onnx": ["export"],
            "history": ["Epoch", "History"],
            "methods": [
                "DARE",
                "METHODS",
                "MOD",
                "AnchorNet",
                "DeepEnsemble",
                "Method",
                "NegativeCorrelation",
                "Repulsive",
            ],
            "predictive": [
                "ClassProbabilities",
                "GaussianMixture",
                "LogNormalMixture",
            ],
            "tables.encoder": ["TableEncoder"],
            "trusted": ["TrustedClassifier", "TrustedDetector", "TrustedRegressor"],
            "trusted.asking": ["ask"],
            "trusted.saving": ["load"],
        },
        modules=["metrics", "scores", "theory"],
    )

former_names.install()

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
    "LogNormalMixture",
    "Method",
    "NegativeCorrelation",
    "Repulsive",
    "TableEncoder",
    "TrustedClassifier",
    "TrustedDetector",
    "TrustedRegressor",
    "ask",
    "export",
    "load",
    "metrics",
    "scores",
    "theory",
]
