"""Targets that are learned as logarithms, and answered in the user's units."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antireg.predictive import GaussianMixture, LogNormalMixture
from antireg.predictive.log_normal import Limits, limits_of
from antireg.rows.checks import logarithms
from antireg.rows.scaling import Scaling

Array = NDArray[np.float64]


class LogTargets:
    """What becomes of targets before they are scaled, and of answers after."""

    target_transform_: str | None = None
    target_scaling_: Scaling
    scaled_by_: str

    @property
    def log_limits_(self) -> Limits | None:
        """Bounds of members for the mean of amounts; none if they are not scaled."""
        shift, scale = self.target_scaling_.shift, self.target_scaling_.scale
        return None if self.scaled_by_ == "none" else limits_of(shift, scale)

    def _to_learn(self, y: Array) -> Array:
        """Return what the members learn: y, or its logarithm, (rows, targets)."""
        return y if self.target_transform_ is None else logarithms(y)

    def _in_units_of_y(
        self, learned: GaussianMixture
    ) -> GaussianMixture | LogNormalMixture:
        """Return the answer that what the members learned stands for."""
        if self.target_transform_ is None:
            return learned
        return LogNormalMixture(learned, self.log_limits_)
