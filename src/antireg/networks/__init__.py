"""Networks of an ensemble, stacked."""

from antireg.networks.mlp import ACTIVATIONS, MLPStack, mlp
from antireg.networks.modules import Factory, ModuleStack, modules
from antireg.networks.stack import Stack

__all__ = [
    "ACTIVATIONS",
    "Factory",
    "MLPStack",
    "ModuleStack",
    "Stack",
    "mlp",
    "modules",
]
