"""Networks of an ensemble, stacked."""

from antireg.networks.centred import Centred
from antireg.networks.mlp import MLPStack, mlp
from antireg.networks.mlp_tape import ACTIVATIONS
from antireg.networks.modules import Factory, ModuleStack, modules
from antireg.networks.stack import Stack

__all__ = [
    "ACTIVATIONS",
    "Centred",
    "Factory",
    "MLPStack",
    "ModuleStack",
    "Stack",
    "mlp",
    "modules",
]
