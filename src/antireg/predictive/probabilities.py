"""What an ensemble of classifiers predicts: probabilities and their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from antireg.predictive.values import Array, mean_over_members, member_values


@dataclass(frozen=True, eq=False)
class ClassProbabilities:
    """The members' class probabilities, and the ensemble's.

    Args:
        probabilities: Of each class, (members, rows, classes), summing to 1.
        pooled: The ensemble's own, (rows, classes), if not the members' mean.

    Examples:
        >>> import numpy as np
        >>> from antireg import ClassProbabilities
        >>> said = ClassProbabilities(np.array([[[1.0, 0.0]], [[0.5, 0.5]]]))
        >>> said.mean.tolist(), said.label.tolist()
        ([[0.75, 0.25]], [0])
    """

    probabilities: Array
    pooled: Array | None = None

    def __post_init__(self) -> None:
        """Check the probabilities and hold them as float64."""
        values = member_values(self.probabilities, "probabilities")
        with np.errstate(over="ignore"):
            error = np.abs(values.sum(axis=-1) - 1).max()
        # Tolerates the rounding of a float32 softmax over many classes.
        if values.min() < 0 or error > 1e-4:
            raise ValueError(
                f"probabilities must be 0 or more, got {values.min()}, and sum to 1, "
                f"got sums off by {error}. Pass raw outputs through a softmax first."
            )
        object.__setattr__(self, "probabilities", values)

    @property
    def mean(self) -> Array:
        """The ensemble's probability of each class, (rows, classes)."""
        return (
            mean_over_members(self.probabilities)
            if self.pooled is None
            else self.pooled
        )

    @property
    def label(self) -> NDArray[np.intp]:
        """The index of the most probable class, (rows,)."""
        return np.asarray(self.mean.argmax(axis=-1))

    @property
    def entropy(self) -> Array:
        """The entropy of the mean, in nats: all uncertainty, (rows,)."""
        return np.asarray(entr(self.mean).sum(axis=-1))

    @property
    def expected_entropy(self) -> Array:
        """The mean entropy of the members: the aleatoric part, (rows,)."""
        return mean_over_members(entr(self.probabilities).sum(axis=-1))

    @property
    def mutual_information(self) -> Array:
        """How much the members disagree: the epistemic part, (rows,).

        The entropy of the members' mean minus their mean entropy.
        """
        entropy = entr(mean_over_members(self.probabilities)).sum(axis=-1)
        return np.asarray(np.maximum(entropy - self.expected_entropy, 0.0))
