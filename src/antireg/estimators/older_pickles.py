"""What pickles of older versions lack, filled in as it was when they were made."""

from __future__ import annotations

from typing import Any

from antireg.predictive.intervals import IntervalFactors

NEW_SETTINGS = {
    "robust": False,
    "bins": None,
    "doubt": None,
    "patience": None,
    "target_transform": None,
}
"""Settings that once did not exist, as all models then were."""


def filled_in(state: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of an estimator, with those that it could not yet have."""
    made = NEW_SETTINGS | state
    if "network_" not in made:  # it was not fitted
        return made
    learned = {"robust_": bool(made["robust"]), "scaled_by_": made["scaling"]}
    if "n_targets_" in made:
        learned["interval_factors_"] = IntervalFactors.none(made["n_targets_"])
    return learned | made
