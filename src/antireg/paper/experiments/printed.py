"""The numbers that the paper prints, found by the names our rows have.

References:
    de Mathelin et al., "Deep Anti-Regularized Ensembles provide reliable
    out-of-distribution uncertainty quantification", 2023, tables 1 to 3.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Printed(NamedTuple):
    """Mean and standard deviation over five runs, as printed."""

    mean: float
    sd: float


TABLE_1 = """
DE (NLL)   6.04 (0.40)  0.28 (0.02)  3.66 (0.17)  0.28 (0.01)  2.25 (0.09)  0.12 (0.02)
AnchorNet  6.03 (0.24)  0.28 (0.02)  3.86 (0.16)  0.29 (0.01)  2.25 (0.12)  0.12 (0.03)
MOD        6.24 (0.89)  0.29 (0.02)  3.66 (0.21)  0.29 (0.01)  2.32 (0.17)  0.15 (0.03)
NegCorr    5.97 (0.54)  0.29 (0.03)  4.02 (0.27)  0.29 (0.01)  2.30 (0.10)  0.14 (0.02)
RDE        5.05 (0.25)  0.27 (0.02)  3.67 (0.11)  0.28 (0.00)  2.22 (0.14)  0.13 (0.04)
DARE       3.64 (0.34)  0.23 (0.03)  2.99 (0.13)  0.25 (0.01)  2.33 (0.13)  0.07 (0.04)
"""
TABLE_2 = """
DE (NLL)   1.03 (0.08)  0.89 (0.03)  1.25 (0.04)
AnchorNet  1.00 (0.07)  0.87 (0.02)  1.24 (0.05)
MOD        1.04 (0.06)  0.91 (0.04)  1.26 (0.05)
NegCorr    1.04 (0.06)  0.89 (0.06)  1.26 (0.06)
RDE        1.06 (0.06)  0.91 (0.03)  1.28 (0.05)
DARE       1.18 (0.09)  1.06 (0.04)  1.27 (0.06)
"""
TABLE_3 = """
DE (NLL)   90.9 (0.4)  86.4 (0.2)  91.8 (0.1)  89.7 (0.9)  62.7 (6.2)  89.2 (0.2)
AnchorNet  91.0 (0.3)  86.5 (0.2)  91.8 (0.0)  88.8 (1.1)  68.7 (6.2)  89.1 (0.2)
MOD        91.3 (0.3)  86.3 (0.3)  91.7 (0.1)  89.4 (1.7)  60.8 (2.7)  88.7 (0.4)
NegCorr    91.3 (0.4)  86.3 (0.4)  91.7 (0.1)  91.5 (0.8)  68.9 (4.5)  86.1 (0.6)
RDE        91.2 (0.5)  86.4 (0.3)  91.8 (0.1)  90.1 (0.9)  70.9 (5.8)  89.1 (0.3)
DE (MSE)   85.9 (1.2)  77.7 (0.8)  91.7 (0.1)  96.5 (0.5)  93.0 (5.3)  88.6 (0.1)
DARE       92.6 (0.7)  82.7 (0.5)  91.8 (0.1)  97.7 (0.5)  97.4 (1.3)  87.2 (0.2)
"""

_WHERE = {
    TABLE_1: (
        ("citycam-cameras", "other_cameras_nll"),
        ("citycam-cameras", "other_cameras_ece"),
        ("citycam-bigbus", "bigbus_nll"),
        ("citycam-bigbus", "bigbus_ece"),
        ("citycam-weather", "after_14h_nll"),
        ("citycam-weather", "after_14h_ece"),
    ),
    TABLE_2: (
        ("citycam-cameras", "test_nll"),
        ("citycam-bigbus", "test_nll"),
        ("citycam-weather", "test_nll"),
    ),
    TABLE_3: (
        ("cifar10", "svhn_auroc"),
        ("cifar10", "cifar100_auroc"),
        ("cifar10", "accuracy"),
        ("fashion-mnist", "cifar10_auroc"),
        ("fashion-mnist", "mnist_auroc"),
        ("fashion-mnist", "accuracy"),
    ),
}


def _read() -> dict[tuple[str, str, str], Printed]:
    found = {}
    for text, places in _WHERE.items():
        for line in text.strip().splitlines():
            contender, rest = re.split(r" {2,}", line, maxsplit=1)
            pairs = re.findall(r"([\d.]+) \(([\d.]+)\)", rest)
            for (recipe, metric), (mean, sd) in zip(places, pairs, strict=True):
                found[recipe, metric, contender] = Printed(float(mean), float(sd))
    # The paper's cameras may have been drawn for each seed, or once for all.
    same = {
        ("citycam-same-cameras", metric, contender): printed
        for (recipe, metric, contender), printed in found.items()
        if recipe == "citycam-cameras" and contender in ("DE (NLL)", "DARE")
    }
    return found | same


PRINTED = _read()
"""By recipe, metric and contender. Areas and accuracies are in percent."""
