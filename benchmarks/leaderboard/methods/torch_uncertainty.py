"""torch-uncertainty: its deep ensemble and its MC dropout, with its own trainer."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import torch
from benchmarks.leaderboard.method import Answer, Method, Say, classified, drawn
from benchmarks.leaderboard.network import HIDDEN, LR, rows, tensors
from benchmarks.leaderboard.task import Array, Known
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

EPOCHS, BATCH = 100, 128
N_MEMBERS, N_DRAWS, DROPOUT = 5, 20, 0.1


def _fit(ensemble: bool) -> Callable[[Known, int], Say]:
    def fit(known: Known, seed: int) -> Say:
        torch.manual_seed(seed)
        model, routine = _routine(known, ensemble)
        x, y = tensors(known)
        data = TensorDataset(x, y.ravel())  # a column would meet every row
        _trainer().fit(routine, DataLoader(data, BATCH, shuffle=True))
        model.eval()

        def say(x: Array) -> Answer:
            with torch.no_grad():
                said = model(rows(x))
            if known.n_classes:
                members = said.softmax(dim=1).reshape(-1, len(x), known.n_classes)
                return classified(members.mean(dim=0).numpy())
            means, stds = (said[k].reshape(-1, len(x)) for k in ("loc", "scale"))
            return drawn(means.numpy(), stds.square().numpy())

        return say

    return fit


def _trainer() -> Any:
    from torch_uncertainty import TUTrainer  # noqa: PLC0415

    for name in ("lightning", "lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
    return TUTrainer(
        accelerator="cpu",
        max_epochs=EPOCHS,
        logger=False,
        enable_progress_bar=False,
        enable_checkpointing=False,
        enable_model_summary=False,
    )


def _routine(known: Known, ensemble: bool) -> tuple[Any, Any]:
    """Return the networks, and what trains them."""
    from torch_uncertainty import losses, methods, routines  # noqa: PLC0415
    from torch_uncertainty.models.mlp import mlp  # noqa: PLC0415
    from torch_uncertainty.transforms import RepeatTarget  # noqa: PLC0415

    task = "classification" if known.n_classes else "regression"
    core = mlp(
        known.x.shape[1],
        known.n_classes or 1,
        list(HIDDEN),
        dropout_rate=0.0 if ensemble else DROPOUT,
        dist_family=None if known.n_classes else "normal",
    )
    kind = {"task": task, "probabilistic": not known.n_classes}
    if ensemble:
        model = methods.deep_ensembles(core, num_estimators=N_MEMBERS, **kind)
        repeated = {"format_batch_fn": RepeatTarget(num_repeats=N_MEMBERS)}
    else:
        model = methods.mc_dropout(core, num_estimators=N_DRAWS, **kind)
        repeated = {}
    given = {
        "model": model,
        "is_ensemble": True,
        "optim_recipe": torch.optim.Adam(model.parameters(), lr=LR),
        **repeated,
    }
    if known.n_classes:
        loss: nn.Module = nn.CrossEntropyLoss()
        return model, routines.ClassificationRoutine(
            num_classes=known.n_classes, loss=loss, **given
        )
    loss = losses.DistributionNLLLoss()
    return model, routines.RegressionRoutine(
        output_dim=1, loss=loss, dist_family="normal", **given
    )


_NEEDS = "torch_uncertainty.routines"
_TUNED = (
    f"widths and learning rate as ours; {EPOCHS} epochs, {BATCH} rows a step"
    ", {} set by us, on nothing"
)
METHODS = {
    "tu-ensemble": Method(
        "deep ensemble (torch-uncertainty)",
        _fit(True),
        12,
        _TUNED.format(f"{N_MEMBERS} members"),
        classes=True,
        needs=_NEEDS,
    ),
    "tu-dropout": Method(
        "MC dropout (torch-uncertainty)",
        _fit(False),
        7,
        _TUNED.format(f"{N_DRAWS} draws, dropout {DROPOUT}"),
        classes=True,
        needs=_NEEDS,
    ),
}
