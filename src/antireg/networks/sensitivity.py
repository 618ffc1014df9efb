"""How much what members answer moves with each of their inputs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from antireg.networks import Stack
from antireg.process import drawing

ROWS_AT_ONCE = 100


def sensitivity(
    network: Stack, x: Tensor, answers: Callable[[Tensor], Tensor]
) -> NDArray[np.float64]:
    """Return the root mean square of ∂answer/∂input, (inputs,).

    The mean is over rows, members and answers. It is 0 for inputs that no gradient
    reaches.

    Args:
        network: The members.
        x: Some rows, (rows, inputs).
        answers: From outputs, (members, rows, outputs), to what is said, (members,
            rows, answers).
    """
    total, count = torch.zeros(x.shape[1], dtype=torch.float64), 0
    for some in x.split(ROWS_AT_ONCE):
        rows = some.expand(network.n_members, *some.shape).clone().requires_grad_()
        with torch.enable_grad(), drawing(0):
            said = answers(network(rows))
            for answer in said.unbind(-1):
                (gradient,) = torch.autograd.grad(
                    answer.sum(), rows, retain_graph=True, allow_unused=True
                )
                if gradient is not None:
                    total += gradient.double().square().sum((0, 1)).cpu()
        count += said.numel()
    found: NDArray[np.float64] = (total / count).sqrt().nan_to_num().numpy()
    return found
