"""A progress bar per training: epochs, losses, λ, weights and the time left."""

from __future__ import annotations

from typing import Any

from tqdm.auto import tqdm

from antireg.history import Epoch


class ProgressBar:
    """A callback that draws one bar for each training it is called in.

    Args:
        trainings: Number of trainings before the first bar.
        title: Name of the only training; without it, trainings are numbered.
    """

    def __init__(self, trainings: int = 0, title: str | None = None) -> None:
        """Wait for the first epoch."""
        self.bar: Any = None
        self.trainings, self.title = trainings, title

    def __call__(self, epoch: Epoch) -> None:
        """Advance the bar by an epoch."""
        if epoch.number == 1 or self.bar is None:
            self.close()
            self.trainings += 1
            self.bar = tqdm(
                total=epoch.n_epochs,
                initial=epoch.number - 1,
                desc=f"{self.title or f'fit {self.trainings}'} ({epoch.method})",
                unit="epoch",
            )
        self.bar.set_postfix_str(
            f"loss {epoch.loss.mean():.3g}, "
            f"validation {epoch.validation_loss.mean():.3g}, "
            f"λ {epoch.control.mean():.2f}, |θ| {epoch.weight.mean():.3g}",
            refresh=False,
        )
        self.bar.update()
        if epoch.number == epoch.n_epochs:
            self.close()

    def close(self) -> None:
        """Leave the finished bar on the screen."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None
