"""The whole state of a training between two epochs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from antireg.history import HISTORY, Epoch, History
from antireg.networks import Stack
from antireg.networks.stack import Tape
from antireg.training.adam import Adam
from antireg.training.problem import Settings


@dataclass
class State:
    """A training after some whole epochs.

    Attributes:
        network: The members as they are now.
        tape: Forward and backward passes through them.
        adam: Their optimiser.
        orders: Random generator of each member's order of rows.
        rng: Random generator of everything else that the method draws.
        kept_weights: Weights of the epochs kept so far, (members, weights).
        kept_loss: Their validation loss, (members,).
        kept: Their numbers, from 1, (members,).
        epochs: What happened, epoch by epoch.
        seconds: Time spent.
        done: Whether the training is complete.
    """

    network: Stack
    tape: Tape
    adam: Adam
    orders: list[torch.Generator]
    rng: torch.Generator
    kept_weights: Tensor
    kept_loss: Tensor
    kept: NDArray[np.int64]
    epochs: list[Epoch]
    seconds: float = 0.0
    done: bool = False

    @classmethod
    def start(cls, network: Stack, settings: Settings) -> State:
        """Return the state before the first epoch of a copy of the network."""
        network = network.with_weights(network.flat)
        members = network.n_members
        return cls(
            network,
            network.tape(),
            Adam(network.flat.detach(), settings.lr),
            [torch.Generator().manual_seed(seed) for seed in settings.seeds],
            torch.Generator().manual_seed(settings.seed),
            network.flat.detach().clone(),
            network.flat.new_full((members,), torch.inf),
            np.zeros(members, dtype=np.int64),
            [],
        )

    def order(
        self,
        n_rows: int,
        shared: bool,
        own: Sequence[NDArray[np.intp]] | None = None,
    ) -> Tensor:
        """Draw the order of an epoch's rows, (members, rows), or (rows,) if shared.

        Args:
            n_rows: Number of rows.
            shared: Whether all members use the same order.
            own: Indices of each member's rows, if it does not train on all. Each member
                draws as many as the one with the fewest rows has.
        """
        if own is not None:
            n_rows = min(map(len, own))
            drawn = [
                torch.from_numpy(rows)[torch.randperm(len(rows), generator=r)[:n_rows]]
                for rows, r in zip(own, self.orders, strict=True)
            ]
            return torch.stack(drawn)
        if shared:
            return torch.randperm(n_rows, generator=self.orders[0])
        return torch.stack([torch.randperm(n_rows, generator=r) for r in self.orders])

    def keep(self, chosen: Tensor, validation_loss: Tensor) -> None:
        """Keep the chosen members as they are now, (members,)."""
        self.kept_loss = torch.where(chosen, validation_loss, self.kept_loss)
        numbers = np.flatnonzero(chosen.cpu())
        for member in numbers.tolist():
            self.kept_weights[member] = self.network.flat[member].detach()
        self.kept[numbers] = len(self.epochs)

    def epoch(self, number: int) -> Epoch:
        """Return an epoch, from 1; after the last, how the members were then."""
        return replace(self.epochs[min(number, len(self.epochs)) - 1], number=number)

    def history(self) -> History:
        """Return what happened so far."""
        loss, validation_loss, control, weight = (
            np.stack([getattr(epoch, name) for epoch in self.epochs])
            for name in HISTORY
        )
        return History(
            loss, validation_loss, control, weight, self.kept.copy(), self.seconds
        )

    def tensors(self) -> dict[str, Tensor]:
        """Return everything that changes, by name."""
        past = [[getattr(epoch, name) for name in HISTORY] for epoch in self.epochs]
        return {
            "weights": self.network.flat.detach(),
            "average": self.adam.average,
            "square": self.adam.square,
            "step": self.adam.steps.reshape(1),
            "orders": torch.stack([order.get_state() for order in self.orders]),
            "rng": self.rng.get_state(),
            "dropout": torch.random.get_rng_state(),
            "kept_weights": self.kept_weights,
            "kept_loss": self.kept_loss,
            "kept": torch.from_numpy(self.kept),
            "history": torch.from_numpy(np.array(past)),
            "seconds": torch.tensor([self.seconds], dtype=torch.float64),
            "done": torch.tensor([self.done]),
        }

    def restore(self, tensors: dict[str, Tensor], n_epochs: int) -> None:
        """Restore the state that these tensors were taken from."""
        flat = self.network.flat
        with torch.no_grad():
            flat.copy_(tensors["weights"])
        self.adam.average.copy_(tensors["average"])
        self.adam.square.copy_(tensors["square"])
        self.adam.steps.copy_(tensors["step"].reshape(()))
        for order, saved in zip(self.orders, tensors["orders"], strict=True):
            order.set_state(saved.clone())
        self.rng.set_state(tensors["rng"].clone())
        torch.random.set_rng_state(tensors["dropout"].clone())
        self.kept_weights = tensors["kept_weights"].to(flat.device).clone()
        self.kept_loss = tensors["kept_loss"].to(flat.device).clone()
        self.kept = tensors["kept"].numpy().copy()
        self.epochs = [
            Epoch(number, n_epochs, *values)
            for number, values in enumerate(tensors["history"].numpy().copy(), start=1)
        ]
        self.seconds = tensors["seconds"].item()
        self.done = bool(tensors["done"].item())
