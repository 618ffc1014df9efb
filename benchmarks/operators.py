"""Let packages import torchvision where it was built for another PyTorch."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

import torch

KEPT: list[torch.library.Library] = []
"""Operators are gone when their library is."""


@cache
def define_operators() -> None:
    """Define the operators that torchvision describes, if it cannot load them.

    It then stops over them when it is imported. Nothing here calls them.
    """
    with suppress(ImportError):
        try:
            import torchvision  # noqa: F401, PLC0415
        except RuntimeError:
            KEPT.append(torch.library.Library("torchvision", "DEF"))
            for name in ("nms", "qnms"):
                KEPT[0].define(
                    f"{name}(Tensor boxes, Tensor scores, float iou) -> Tensor"
                )
