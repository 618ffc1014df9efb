"""What the outputs of a trained network mean: amounts with their noise, or classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from antireg.rows.checks import shown
from antireg.rows.scaling import Scaling

AMOUNTS = ("mean", "mean_variance", "mean_log_variance")
CLASSES = ("logits", "probabilities")

SUM = 1e-3
"""How far from 1 probabilities of a row may sum up to, in half precision too."""

LEAST_VARIANCE = 1e-30


def meaning_of_amounts(asked: str, n_outputs: int, n_targets: int) -> str:
    """Return what outputs of a regression network mean, or say that it must be stated.

    Args:
        asked: "auto", or one of `AMOUNTS`.
        n_outputs: Of the networks.
        n_targets: Columns of y.
    """
    _check_asked(asked, AMOUNTS)
    twice = 2 * n_targets
    if asked == "auto" and n_outputs == twice:
        raise ValueError(
            f"outputs must be stated where networks say {n_outputs} numbers of "
            f'{n_targets} targets, got "auto". Use outputs="mean_log_variance" or '
            '"mean_variance".'
        )
    if asked in ("auto", "mean"):
        asked, twice = "mean", n_targets
    if n_outputs != twice:
        raise ValueError(
            f'outputs="{asked}" must be {twice} numbers for {n_targets} targets, got '
            f"networks with {n_outputs}. Does y have the columns they were trained on?"
        )
    return asked


def meaning_of_classes(asked: str, outputs: Tensor) -> str:
    """Return whether outputs are probabilities: from 0 to 1, and 1 in all.

    Args:
        asked: "auto", or one of `CLASSES`.
        outputs: Of validation rows, (members, rows, outputs).
    """
    _check_asked(asked, CLASSES)
    shares = says_probabilities(outputs)
    if asked == "probabilities" and not shares:
        low, high = float(outputs.min()), float(outputs.max())
        raise ValueError(
            'outputs="probabilities" must be from 0 to 1 and sum up to 1, got numbers '
            f'from {low:.3g} to {high:.3g}. Use outputs="logits".'
        )
    if asked != "auto":
        return asked
    return "probabilities" if shares else "logits"


def says_probabilities(outputs: Tensor) -> bool:
    """Return whether outputs are from 0 to 1, and 1 in all if there are several.

    Args:
        outputs: (members, rows, outputs).
    """
    shares = float(outputs.min()) >= -SUM and float(outputs.max()) <= 1 + SUM
    if outputs.shape[-1] > 1:
        shares = shares and float((outputs.sum(-1) - 1).abs().max()) <= SUM
    return shares


def scaled_amounts(outputs: Tensor, meaning: str, scaling: Scaling) -> Tensor:
    """Return means, then log-variances if there are any, of scaled targets.

    Args:
        outputs: (members, rows, outputs).
        meaning: One of `AMOUNTS`.
        scaling: Of the targets.
    """
    shift, scale = torch.from_numpy(scaling.shift), torch.from_numpy(scaling.scale)
    if meaning == "mean":
        return (outputs - shift) / scale
    mean, spread = outputs.chunk(2, dim=-1)
    if meaning == "mean_variance":
        spread = spread.clamp(min=LEAST_VARIANCE).log()
    return torch.cat([(mean - shift) / scale, spread - 2 * scale.log()], dim=-1)


def class_values(outputs: Tensor, meaning: str) -> Tensor:
    """Return K times the probability of each of K classes, (members, rows, classes).

    Args:
        outputs: (members, rows, outputs); one output is that of the second class.
        meaning: One of `CLASSES`.
    """
    if outputs.shape[-1] == 1:
        second = outputs.sigmoid() if meaning == "logits" else outputs.clamp(0, 1)
        shares = torch.cat([1 - second, second], dim=-1)
    elif meaning == "logits":
        shares = outputs.softmax(-1)
    else:
        shares = outputs.clamp(0, 1)
    return shares * shares.shape[-1]


def classes_of(given: Any, y: NDArray[Any], n_outputs: int) -> NDArray[Any]:
    """Return the label of each output, in their order.

    Labels that are whole numbers below the number of classes are their places, as
    PyTorch's losses take them. Others are sorted, if all classes are there.

    Args:
        given: By the user, or None.
        y: Labels of validation rows, (rows,).
        n_outputs: Of the networks; one stands for two classes.
    """
    n_classes, found = max(n_outputs, 2), np.unique(y)
    if given is not None:
        classes = np.asarray(given)
        if classes.ndim != 1 or len(np.unique(classes)) != n_classes:
            raise ValueError(
                f"classes must be the {n_classes} labels of the networks' outputs, in "
                f"their order, got {shown(given)}."
            )
    elif np.issubdtype(y.dtype, np.integer) and 0 <= found[0] <= found[-1] < n_classes:
        classes = np.arange(n_classes)
    elif len(found) == n_classes:
        classes = found
    else:
        raise ValueError(
            f"classes must be given where y has {len(found)} labels and networks say "
            f"{n_classes} classes, got None. Pass classes=[...] in the order of the "
            "outputs."
        )
    unknown = np.setdiff1d(found, classes)
    if unknown.size:
        raise ValueError(
            f"y must hold only the networks' classes, got {unknown.tolist()} too. Drop "
            "those rows."
        )
    return classes


def _check_asked(asked: str, meanings: tuple[str, ...]) -> None:
    if asked != "auto" and asked not in meanings:
        listed = ", ".join(f'"{name}"' for name in ("auto", *meanings))
        raise ValueError(f"outputs must be one of {listed}, got {shown(asked)}.")
