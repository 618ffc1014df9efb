"""Trained networks that predict amounts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_array
from torch import Tensor

from antireg.estimators import EnsembleRegressor
from antireg.estimators.answering import AnsweringAmounts
from antireg.losses import choose_loss
from antireg.predictive.intervals import IntervalFactors
from antireg.rows.checks import check_amounts
from antireg.trained.base import Networks
from antireg.trained.inputs import without_tensor
from antireg.trained.meaning import meaning_of_amounts, scaled_amounts

Array = NDArray[np.float64]


class NetworksRegressor(RegressorMixin, AnsweringAmounts, Networks):
    """Regression networks that are trained already, with where not to trust them.

    The answer is the mixture of what the networks say, each with its noise, and far
    from all reference rows it becomes a constant: the distribution of y. Of three or
    more networks, one that is far from the others is pulled towards them, as members of
    ensembles are; and their mean stays within three times the range of y.

    Parameters
    ----------
    networks : torch.nn.Module or list of them
        Trained; they are run in evaluation mode and never changed.
    outputs : {"auto", "mean", "mean_variance", "mean_log_variance"}
        What the networks say, in the units of y: one number for each target, or all
        means and then all variances or their logarithms. "auto" takes one number for
        a mean. Noise that the networks do not say is learned from validation rows.
    false_alarm_rate : float, default=0.05
        Share of in-distribution rows that `is_ood` may flag.
    random_state : int, RandomState or None
        Of the choice of reference rows.

    Attributes
    ----------
    meaning_ : str
        What the outputs were taken for.
    modules_, comparing_, reader_
        The networks, the references, and what reads outputs.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from antireg import from_networks
    >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    >>> _ = torch.manual_seed(0)
    >>> line = torch.nn.Linear(2, 1)  # stands for a network that you have trained
    >>> y = line(torch.tensor(X).float()).detach().numpy()[:, 0]
    >>> model = from_networks(line, "regression", random_state=0).fit(X, y)
    >>> model.is_ood([[0.0, 0.0], [9.0, 9.0]]).tolist()
    [False, True]
    """

    kind = "regressor"
    n_targets_: int

    @property
    def interval_factors_(self) -> IntervalFactors:  # type: ignore[override]
        """How much wider intervals are than those of the mixture."""
        factors: IntervalFactors = self.reader_.interval_factors_
        return factors

    def _check_targets(self, y: Any) -> Array:
        y = check_amounts(without_tensor(y))
        y = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
        self.flat_targets_ = y.ndim == 1
        columns: Array = y.reshape(len(y), -1)
        self.n_targets_ = columns.shape[1]
        return columns

    def _reader(self, raw: Tensor, y: Array) -> EnsembleRegressor:
        n_outputs = raw.shape[-1]
        self.meaning_ = meaning_of_amounts(self.outputs, n_outputs, self.n_targets_)
        reader = regression_reader(self.meaning_, self.n_targets_, self.flat_targets_)
        reader._learn_targets(y)
        return reader

    def _meant(self, raw: Tensor) -> Tensor:
        return scaled_amounts(raw, self.meaning_, self.reader_.target_scaling_)


def regression_reader(meaning: str, n_targets: int, flat: bool) -> EnsembleRegressor:
    """Return what reads outputs of networks, without what is learned.

    Args:
        meaning: Of the outputs.
        n_targets: Columns of y.
        flat: Whether y was given as (rows,).
    """
    name = "squared_error" if meaning == "mean" else "gaussian_nll"
    reader = EnsembleRegressor(loss=name)
    reader.loss_ = choose_loss(name, reader.losses)
    reader.robust_, reader.scaled_by_ = True, "standard"
    reader.n_targets_, reader.flat_targets_ = n_targets, flat
    return reader
