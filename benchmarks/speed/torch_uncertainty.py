"""torch-uncertainty: its deep ensemble with its trainer, as its tutorial does it."""

from __future__ import annotations

import logging
import warnings
from typing import Any

import torch
from benchmarks.operators import define_operators
from benchmarks.speed.sizes import LR, Rows, Size
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")
define_operators()

from torch_uncertainty import TUTrainer  # noqa: E402
from torch_uncertainty.losses import DistributionNLLLoss  # noqa: E402
from torch_uncertainty.methods import deep_ensembles  # noqa: E402
from torch_uncertainty.models.mlp import mlp  # noqa: E402
from torch_uncertainty.routines import (  # noqa: E402
    ClassificationRoutine,
    RegressionRoutine,
)
from torch_uncertainty.transforms import RepeatTarget  # noqa: E402

for _name in ("lightning", "lightning.pytorch", "lightning.fabric"):
    logging.getLogger(_name).setLevel(logging.ERROR)


def train(size: Size, data: Rows, validation: Rows) -> Any:
    """Train all members in one routine; a deep ensemble, so without a penalty."""
    torch.manual_seed(0)
    routine = _routine(size)
    trainer = _trainer(size.epochs)
    loader = DataLoader(_dataset(size, data), size.batch_size, shuffle=True)
    held_out = DataLoader(_dataset(size, validation), size.batch_size)
    trainer.fit(routine, loader, held_out)
    return routine


def predict(routine: Any, x: Any) -> Any:
    """Return what the members put out, batch by batch."""
    loader = DataLoader(torch.from_numpy(x), batch_size=1024)
    said = _trainer(1).predict(routine, loader)
    if isinstance(said[0], dict):
        return torch.cat([batch["loc"] for batch in said]).numpy()
    return torch.cat(said).numpy()


def _trainer(epochs: int) -> Any:
    return TUTrainer(
        accelerator="cpu",
        max_epochs=epochs,
        logger=False,
        enable_progress_bar=False,
        enable_checkpointing=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
    )


def _routine(size: Size) -> Any:
    """Return the members with their loss and Adam."""
    regression = size.classes == 0
    outputs = 1 if regression else size.layers[-1]
    core = mlp(
        size.layers[0],
        outputs,
        list(size.hidden),
        dist_family="normal" if regression else None,
    )
    ensemble = deep_ensembles(
        core,
        num_estimators=size.members,
        task="regression" if regression else "classification",
        probabilistic=regression,
    )
    given = {
        "model": ensemble,
        "is_ensemble": True,
        "format_batch_fn": RepeatTarget(num_repeats=size.members),
        "optim_recipe": torch.optim.Adam(ensemble.parameters(), lr=LR),
    }
    if regression:
        loss = DistributionNLLLoss()
        return RegressionRoutine(output_dim=1, dist_family="normal", loss=loss, **given)
    loss = nn.BCEWithLogitsLoss() if outputs == 1 else nn.CrossEntropyLoss()
    return ClassificationRoutine(num_classes=outputs, loss=loss, **given)


def _dataset(size: Size, rows: Rows) -> TensorDataset:
    y = torch.from_numpy(rows.y)
    return TensorDataset(torch.from_numpy(rows.x), y)
