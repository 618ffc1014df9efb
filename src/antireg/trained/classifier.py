"""Trained networks that tell classes apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d
from torch import Tensor

from antireg.estimators import EnsembleClassifier
from antireg.estimators.answering import AnsweringClasses
from antireg.losses import choose_loss
from antireg.trained.base import Networks
from antireg.trained.inputs import without_tensor
from antireg.trained.meaning import class_values, classes_of, meaning_of_classes

Array = NDArray[np.float64]


class NetworksClassifier(ClassifierMixin, AnsweringClasses, Networks):
    """Classification networks that are trained already, with where not to trust them.

    As `NetworksRegressor`. Probabilities are the mean of the networks', made sharper or
    softer by validation rows, and become the frequencies of the classes where rows are
    unfamiliar.

    Parameters
    ----------
    networks : torch.nn.Module or list of them
        As of `NetworksRegressor`, as all that is not explained here.
    outputs : {"auto", "logits", "probabilities"}
        What the networks say of each class; of two classes, one number may be that of
        the second. "auto" sees whether they are from 0 to 1 and sum up to 1. Logarithms
        of probabilities are logits.
    classes : sequence, optional
        The label of each output. Without it, labels that are whole numbers from 0 on
        are the places of the outputs, and others are sorted.
    false_alarm_rate : float, default=0.05
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : array
        The labels, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from antireg import from_networks
    >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    >>> _ = torch.manual_seed(0)
    >>> line = torch.nn.Linear(2, 3)  # stands for a network that you have trained
    >>> y = line(torch.tensor(X).float()).argmax(1).numpy()
    >>> model = from_networks(line, "classification", random_state=0).fit(X, y)
    >>> model.predict_proba([[0.0, 0.0]]).shape
    (1, 3)
    """

    kind = "classifier"
    places_: NDArray[np.intp]
    """The output of each class, (classes,)."""

    def __init__(
        self,
        networks: Any,
        *,
        outputs: str = "auto",
        classes: ArrayLike | None = None,
        false_alarm_rate: float = 0.05,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        """Store the settings."""
        super().__init__(
            networks,
            outputs=outputs,
            false_alarm_rate=false_alarm_rate,
            random_state=random_state,
        )
        self.classes = classes

    def _check_targets(self, y: Any) -> NDArray[Any]:
        labels: NDArray[Any] = column_or_1d(without_tensor(y), warn=True)
        check_classification_targets(labels)
        return labels

    def _reader(self, raw: Tensor, y: NDArray[Any]) -> EnsembleClassifier:
        self.meaning_ = meaning_of_classes(self.outputs, raw)
        classes = classes_of(self.classes, y, raw.shape[-1])
        self.places_ = np.argsort(classes, kind="stable")
        self.classes_ = classes[self.places_]
        return classification_reader(self.classes_)

    def _meant(self, raw: Tensor) -> Tensor:
        values = class_values(raw, self.meaning_)
        return values[..., torch.from_numpy(self.places_)]


def classification_reader(classes: NDArray[Any]) -> EnsembleClassifier:
    """Return what reads outputs of networks, without what is learned.

    Args:
        classes: The labels, sorted.
    """
    name = "one_hot_squared_error"  # outputs are K times a probability
    reader = EnsembleClassifier(loss=name, robust=False)
    reader.loss_ = choose_loss(name, reader.losses)
    reader.robust_, reader.scaled_by_ = False, "standard"
    reader.classes_ = classes
    return reader
