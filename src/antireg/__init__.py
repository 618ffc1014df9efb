"""Ensembles of neural networks that know when they do not know."""

from typing import TYPE_CHECKING

from antireg.first_use import on_first_use

if TYPE_CHECKING:
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
else:
    __getattr__, __dir__ = on_first_use(
        globals(),
        {
            "estimators": ["EnsembleClassifier", "EnsembleRegressor"],
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
            "predictive": ["ClassProbabilities", "GaussianMixture"],
            "storage": ["load"],
        },
        modules=["export", "metrics", "scores", "theory"],
    )

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
