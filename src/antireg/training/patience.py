"""When members have learned: none was kept for so long that none will be."""

from __future__ import annotations

from typing import Literal

LEAST_STEPS = 400
LEAST_EPOCHS = 3
"""Of "auto"; docs/choices.md says why."""


def patience_of(setting: int | Literal["auto"] | None, per_epoch: int) -> int | None:
    """Return after how many epochs without one to keep a training ends, if ever.

    Args:
        setting: Epochs; "auto" for so many that they make up enough steps; or None.
        per_epoch: Steps of an epoch.
    """
    if setting == "auto":
        return max(LEAST_EPOCHS, -(-LEAST_STEPS // per_epoch))
    return None if setting is None else int(setting)
