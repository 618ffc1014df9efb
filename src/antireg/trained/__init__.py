"""Networks that are trained already, as estimators that know when they do not know."""

from __future__ import annotations

from typing import Any

from antireg.rows.checks import shown
from antireg.trained.classifier import NetworksClassifier
from antireg.trained.drawing import networks_around
from antireg.trained.regressor import NetworksRegressor

TASKS: dict[str, Any] = {
    "regression": NetworksRegressor,
    "classification": NetworksClassifier,
}


def from_networks(networks: Any, task: str, **settings: Any) -> Any:
    """Return an estimator of networks that are trained already.

    Its `fit(X, y, reference=X_train)` takes rows that they were not trained on, and
    trains nothing.

    Args:
        networks: A `torch.nn.Module`, or several.
        task: "regression" or "classification".
        **settings: Of `NetworksRegressor` or `NetworksClassifier`.

    Examples:
        >>> import torch
        >>> from antireg import from_networks
        >>> x = torch.linspace(-1, 1, 200)[:, None]
        >>> net = torch.nn.Linear(1, 1)  # train it as you like
        >>> model = from_networks(net, task="regression", random_state=0)
        >>> _ = model.fit(x[::2], 2 * x[::2, 0], reference=x[1::2])
        >>> model.is_ood([[0.0], [9.0]]).tolist()
        [False, True]
    """
    if not isinstance(task, str) or task not in TASKS:
        raise ValueError(f"task must be one of {', '.join(TASKS)}, got {shown(task)}.")
    return TASKS[task](networks, **settings)


__all__ = [
    "NetworksClassifier",
    "NetworksRegressor",
    "from_networks",
    "networks_around",
]
