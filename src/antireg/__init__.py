"""Ensembles of neural networks that know when they do not know."""

from typing import TYPE_CHECKING

from antireg import former_names
from antireg.first_use import on_first_use
from antireg.version import __version__ as __version__

if TYPE_CHECKING:
    from antireg import metrics, mlflow, scores, theory
    from antireg.estimators import EnsembleClassifier, EnsembleRegressor
    from antireg.history import Epoch, History
    from antireg.methods import (
        DARE,
        METHODS,
        MOD,
        AnchorNet,
        DeepEnsemble,
        MaxWEnt,
        Method,
        NegativeCorrelation,
        Repulsive,
        WaterFilling,
    )
    from antireg.methods.dare_loss import DareController, dare_loss
    from antireg.monitoring import Monitor
    from antireg.onnx import export
    from antireg.predictive import ClassProbabilities, GaussianMixture, LogNormalMixture
    from antireg.report.evaluating import EvaluationReport, evaluate
    from antireg.tables.encoder import TableEncoder
    from antireg.trained import (
        NetworksClassifier,
        NetworksRegressor,
        from_networks,
        networks_around,
    )
    from antireg.trusted import TrustedClassifier, TrustedDetector, TrustedRegressor
    from antireg.trusted.asking import ask
    from antireg.trusted.saving import load
else:
    __getattr__, __dir__ = on_first_use(
        globals(),
        {
            "estimators": ["EnsembleClassifier", "EnsembleRegressor"],
            "monitoring": ["Monitor"],
            "onnx": ["export"],
            "history": ["Epoch", "History"],
            "methods": [
                "DARE",
                "METHODS",
                "MOD",
                "AnchorNet",
                "DeepEnsemble",
                "MaxWEnt",
                "Method",
                "NegativeCorrelation",
                "Repulsive",
                "WaterFilling",
            ],
            "methods.dare_loss": ["DareController", "dare_loss"],
            "predictive": [
                "ClassProbabilities",
                "GaussianMixture",
                "LogNormalMixture",
            ],
            "report.evaluating": ["EvaluationReport", "evaluate"],
            "trained": [
                "NetworksClassifier",
                "NetworksRegressor",
                "from_networks",
                "networks_around",
            ],
            "tables.encoder": ["TableEncoder"],
            "trusted": ["TrustedClassifier", "TrustedDetector", "TrustedRegressor"],
            "trusted.asking": ["ask"],
            "trusted.saving": ["load"],
        },
        modules=["metrics", "mlflow", "scores", "theory"],
    )

former_names.install()

__all__ = [
    "DARE",
    "METHODS",
    "MOD",
    "AnchorNet",
    "ClassProbabilities",
    "DareController",
    "DeepEnsemble",
    "EnsembleClassifier",
    "EnsembleRegressor",
    "Epoch",
    "EvaluationReport",
    "GaussianMixture",
    "History",
    "LogNormalMixture",
    "MaxWEnt",
    "Method",
    "Monitor",
    "NegativeCorrelation",
    "NetworksClassifier",
    "NetworksRegressor",
    "Repulsive",
    "TableEncoder",
    "TrustedClassifier",
    "TrustedDetector",
    "TrustedRegressor",
    "WaterFilling",
    "ask",
    "dare_loss",
    "evaluate",
    "export",
    "from_networks",
    "load",
    "metrics",
    "mlflow",
    "networks_around",
    "scores",
    "theory",
]
