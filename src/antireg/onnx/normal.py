"""The normal distribution in double precision, which ONNX runtimes lack."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from scipy.special import erfcx

from antireg.onnx.builder import Graph
from antireg.predictive.values import Array

DEGREE = 24


def add_normal_cdf(graph: Graph, z: str) -> str:
    """Return Φ(z), good to 1e-15.

    erfc x = t · exp(−x² + P(t)) with t = 2/(2 + x) for x ≥ 0, P a polynomial.
    """
    x = graph("Mul", graph("Abs", z), graph.constant(math.sqrt(0.5)))
    two = graph.constant(2.0)
    t = graph("Div", two, graph("Add", two, x))
    shifted = graph("Sub", graph("Mul", t, two), graph.constant(1.0))
    highest, *others = reversed(_polynomial())
    value = graph.constant(highest)
    for coefficient in others:
        value = graph("Add", graph("Mul", value, shifted), graph.constant(coefficient))
    exponent = graph("Sub", value, graph("Mul", x, x))
    half_t = graph("Mul", t, graph.constant(0.5))
    tail = graph("Mul", half_t, graph("Exp", exponent))
    below = graph("Less", z, graph.constant(0.0))
    return graph("Where", below, tail, graph("Sub", graph.constant(1.0), tail))


@cache
def _polynomial() -> list[float]:
    """Return the coefficients of P in 2t − 1, ascending."""

    def exponent(u: Array) -> Array:
        t = np.maximum((u + 1) / 2, 1e-6)
        scaled: Array = np.log(erfcx(2 / t - 2) / t)
        return scaled

    fitted = Chebyshev.interpolate(exponent, DEGREE)
    return [float(c) for c in fitted.convert(kind=Polynomial).coef]
