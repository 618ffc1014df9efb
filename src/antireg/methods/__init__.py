"""The methods, by the names that the command line and `method=` use."""

from sklearn.base import clone

from antireg.methods.anchor_net import AnchorNet
from antireg.methods.base import Fit, Method, Step
from antireg.methods.dare import DARE
from antireg.methods.deep_ensemble import DeepEnsemble
from antireg.methods.max_w_ent import MaxWEnt
from antireg.methods.mod import MOD
from antireg.methods.negative_correlation import NegativeCorrelation
from antireg.methods.repulsive import Repulsive
from antireg.methods.water_filling import WaterFilling
from antireg.rows.checks import shown

METHODS: dict[str, type[Method]] = {
    "dare": DARE,
    "deep_ensemble": DeepEnsemble,
    "anchor_net": AnchorNet,
    "mod": MOD,
    "negative_correlation": NegativeCorrelation,
    "repulsive": Repulsive,
    "water_filling": WaterFilling,
    "max_w_ent": MaxWEnt,
}
"""The class of each method, by its name."""


def as_method(method: Method | str) -> Method:
    """Return a copy of the method, or a new one of that name."""
    if isinstance(method, Method):
        copy: Method = clone(method)
        return copy
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(
            f"method must be a Method, auto or one of {', '.join(METHODS)}, got "
            f"{shown(method)}."
        )
    return METHODS[method]()


__all__ = [
    "DARE",
    "METHODS",
    "MOD",
    "AnchorNet",
    "DeepEnsemble",
    "Fit",
    "MaxWEnt",
    "Method",
    "NegativeCorrelation",
    "Repulsive",
    "Step",
    "WaterFilling",
    "as_method",
]
