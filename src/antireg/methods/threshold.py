"""The loss that members may reach: a little worse than the reference's."""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning

from antireg.advice import warn_user
from antireg.methods.base import Bounds


def threshold_above(loss: float, delta: float, bounds: Bounds, name: str) -> float:
    """Return  τ = L + δ|L|,  or less if the estimator is robust.

    Then the slack of a log-likelihood is at most δ, since a share of a logarithm means
    nothing; and τ is at most halfway from L to the loss of a constant guess (or L if
    that is no better), so that members keep at least half of what they can learn.

    Args:
        loss: L, the mean validation loss of the reference's members.
        delta: δ.
        bounds: Of the reference.
        name: Of the method, for the warning.
    """
    wanted = loss + delta * min(abs(loss), bounds.unit)
    constant = bounds.constant_loss
    most = loss + 0.5 * max(constant - loss, 0.0)
    if wanted <= most:
        return wanted
    warn_user(
        f"{name}: threshold={wanted:.4g} was lowered to {most:.4g}, as a constant "
        f"guess has a validation loss of {constant:.4g} and the deep ensemble "
        f"{loss:.4g}: there is little to learn here, and members must keep half of "
        "it. Look for better columns or more rows, or lower delta.",
        ConvergenceWarning,
    )
    return most
