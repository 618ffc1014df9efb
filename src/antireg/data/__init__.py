"""Data sets as ready splits: train, validation, test and out-of-distribution rows."""

from antireg.data.citycam import citycam
from antireg.data.split import Rows, Split
from antireg.data.toys import one_dimensional, two_moons
from antireg.data.uci import uci

__all__ = ["Rows", "Split", "citycam", "one_dimensional", "two_moons", "uci"]
