"""DARE's objective and its control, for a training loop of one's own.

The library's own DARE is made of the same functions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from sklearn.exceptions import ConvergenceWarning
from torch import Tensor, nn

from antireg.advice import warn_user
from antireg.methods.checks import not_negative

EPSILON = torch.finfo(torch.float32).eps


def dare_loss(loss: Tensor, parameters: Iterable[Tensor], threshold: float) -> Tensor:
    """Return  loss − λ · mean_k log(θ_k² + ε),  where λ is 1 if loss ≤ τ, else 0.

    Use it in place of the loss: weights grow where the training data do not constrain
    them, as long as the batch is fitted.

    Args:
        loss: The fit loss of a batch, a scalar.
        parameters: What to train; frozen tensors do not count.
        threshold: τ; `DareController` finds it.

    References:
        de Mathelin et al., "Deep Anti-Regularized Ensembles provide reliable
        out-of-distribution uncertainty quantification", 2023.

    Examples:
        >>> import torch
        >>> from antireg import dare_loss
        >>> weights = torch.tensor([1.0, 1.0], requires_grad=True)
        >>> round(dare_loss(torch.tensor(0.1), [weights], threshold=0.2).item(), 3)
        0.1
        >>> dare_loss(torch.tensor(0.1), [10 * weights], threshold=0.2).item() < 0.1
        True
    """
    weights = [w.flatten() for w in parameters if w.requires_grad]
    if not weights:
        raise ValueError(
            "parameters must hold tensors to train, got none. Pass "
            "network.parameters() anew for every batch: it can be read once only."
        )
    return loss + control(loss, threshold) * weight_penalty(torch.cat(weights))


def weight_penalty(flat: Tensor) -> Tensor:
    """Return minus the mean log squared weight,  −mean_k log(θ_k² + ε),  (...).

    Args:
        flat: Weights, (..., weights).
    """
    return -(flat.square() + EPSILON).log().mean(-1)


def control(loss: Tensor, threshold: float) -> Tensor:
    """Return λ: 1 where a loss is at most τ, else 0, in the shape of the loss."""
    return (loss.detach() <= threshold).to(loss.dtype)


def keeps(validation_loss: Tensor, kept: Tensor, threshold: float) -> Tensor:
    """Return whether to keep an epoch: one at or below τ; before that, the best.

    Args:
        validation_loss: Of this epoch, any shape.
        kept: Of the epoch kept so far, infinite at first.
        threshold: τ.
    """
    return (validation_loss <= threshold) | (validation_loss < kept)


class DareController:
    """Finds τ, keeps the last epoch under it, and reports λ.

    τ = L + δ|L|,  where L is the validation loss of a network like this one that was
    trained without DARE. Call `loss` for every batch and `end_epoch` after every epoch,
    and `restore` in the end.

    Args:
        network: What the loop trains.
        reference_loss: L.
        delta: δ, how much worse the network may become.

    Attributes:
        threshold: τ.
        history: λ of each epoch: the share of batches on which weights could grow.
        kept_epoch: The epoch that `restore` goes back to, from 0; None before any.

    Examples:
        >>> import torch
        >>> from antireg import DareController
        >>> net, x = torch.nn.Linear(1, 1), torch.linspace(-1, 1, 50)[:, None]
        >>> optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
        >>> dare = DareController(net, reference_loss=0.08)
        >>> round(dare.threshold, 3)
        0.1
        >>> for epoch in range(50):
        ...     fit = (net(x) - 2 * x).square().mean()
        ...     optimizer.zero_grad()
        ...     dare.loss(fit).backward()
        ...     optimizer.step()
        ...     kept = dare.end_epoch((net(x) - 2 * x).square().mean().item())
        >>> len(dare.history), dare.restore() is net
        (50, True)
    """

    def __init__(
        self, network: nn.Module, reference_loss: float, delta: float = 0.25
    ) -> None:
        """Set τ."""
        not_negative("delta", delta)
        loss = float(reference_loss)
        if not math.isfinite(loss):
            raise ValueError(
                f"reference_loss must be a finite number, got {loss}. Train a network "
                "without DARE first, and pass its validation loss."
            )
        self.network, self.threshold = network, loss + delta * abs(loss)
        self.history: list[float] = []
        self.kept_epoch: int | None = None
        self._kept_loss = torch.tensor(math.inf)
        self._kept_state: dict[str, Tensor] = {}
        self._batches: list[Tensor] = []

    def loss(self, loss: Tensor) -> Tensor:
        """Return what to train on a batch: see `dare_loss`.

        Args:
            loss: The fit loss of the batch, a scalar.
        """
        self._batches.append(control(loss, self.threshold))
        return dare_loss(loss, self.network.parameters(), self.threshold)

    def end_epoch(self, validation_loss: float) -> bool:
        """Return whether this epoch is kept; its weights are copied then.

        Args:
            validation_loss: The fit loss on rows that are not trained on.
        """
        batches = [float(batch) for batch in self._batches]
        self.history.append(sum(batches) / max(len(batches), 1))
        self._batches.clear()
        loss = torch.tensor(float(validation_loss))
        kept = bool(keeps(loss, self._kept_loss, self.threshold))
        if kept:
            state = self.network.state_dict()
            self._kept_state = {k: w.detach().clone() for k, w in state.items()}
            self._kept_loss, self.kept_epoch = loss, len(self.history) - 1
        return kept

    def restore(self) -> nn.Module:
        """Put the kept weights back into the network, and return it."""
        if self.kept_epoch is None:
            raise ValueError(
                "end_epoch must be called with a number before restore, got "
                f"{len(self.history)} epochs without one to keep."
            )
        if not control(self._kept_loss, self.threshold):
            warn_user(
                f"DARE: no epoch had a validation loss of at most {self.threshold:.4g} "
                f"(best {float(self._kept_loss):.4g}, which is kept). Raise delta, or "
                "train longer.",
                ConvergenceWarning,
            )
        self.network.load_state_dict(self._kept_state)
        return self.network
