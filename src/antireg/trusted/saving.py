"""A gate around one of our ensembles as a folder that holds data only, and back.

A model of scikit-learn's is code as well as data, so a gate around one is not written
so: `save` says what to use instead.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from antireg.estimators import base, saving
from antireg.estimators.doubting import Doubting
from antireg.estimators.restoring import restored
from antireg.estimators.stored_doubt import doubt_arrays
from antireg.estimators.stored_parts import (
    compared_arrays,
    described_map,
    interval_arrays,
    score_arrays,
)
from antireg.process import own_modes
from antireg.storage import model_folder
from antireg.storage.fields import Fields
from antireg.trained.restoring import restored_networks
from antireg.trusted.noise import Noise
from antireg.trusted.restoring import FORMAT, PREFIX, restored_gate


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted gate to a folder; a model already there is replaced.

    Args:
        model: A gate around an `EnsembleRegressor` or an `EnsembleClassifier`.
        path: The folder.
    """
    check_is_fitted(model)
    inner = model.estimator_
    if not isinstance(inner, base.Ensemble):
        raise TypeError(
            "estimator must be one of antireg's own to be saved as data, got a "
            f"{type(inner).__name__}, which is code too. Use joblib.dump(model, path), "
            "and load such files only from those you trust: they can run anything; or "
            "skops.io, which lists what a file would run."
        )
    description, arrays = saving.described(inner)
    gate, rate = model.gate_, model.false_alarm_rate
    words: dict[str, Any] = {
        "format": FORMAT,
        "prefit": bool(model.prefit),
        "false_alarm_rate": float(rate),
        "signals": list(gate.normalisation.middle),
        **({} if model.n_groups_ is None else {"groups": model.n_groups_}),
    }
    doubting = Doubting(gate.looking.signalling, gate.normalisation, gate.doubt)
    own = doubt_arrays(doubting) | compared_arrays(gate.looking.inputs.scaling)
    own |= score_arrays(model.held_out_scores_, rate)
    if isinstance(gate.calibration, Noise):
        own |= _noise_arrays(gate.calibration)
        own |= interval_arrays(model.interval_factors_, doubted=True)
    else:
        words["probability_map"] = described_map(gate.calibration)
    prefixed = {PREFIX + name: values for name, values in own.items()}
    words = {"gate": words, "estimator": description}
    model_folder.write(path, words, arrays | prefixed)


@own_modes()
def load(path: str | os.PathLike[str], *, network: Any = None) -> Any:
    """Return the estimator of a folder that `model.save` wrote.

    Args:
        path: The folder.
        network: The module, or the function that makes one, of an estimator with an
            architecture of your own: no file of data can hold it. Of networks that
            were trained already, a module of their class, or one for each of them.

    Examples:
        >>> import tempfile
        >>> import antireg
        >>> X = [[0.01 * row] for row in range(300)]
        >>> model = antireg.EnsembleRegressor(steps=50, doubt=None)
        >>> _ = model.fit(X, [x[0] for x in X])
        >>> folder = tempfile.mkdtemp() + "/model"
        >>> model.save(folder)
        >>> bool((antireg.load(folder).predict(X) == model.predict(X)).all())
        True
    """
    with model_folder.opened(path) as (description, arrays):
        fields = Fields(path, description)
        if "gate" in description:
            return restored_gate(fields, arrays, network)
        if "networks" in description:
            return restored_networks(fields, arrays, network)
        return restored(fields, arrays, network)


def _noise_arrays(noise: Noise) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {
        "noise_numbers": np.array(
            [[c.slope, c.floor, c.low, c.high] for c in noise.curves]
        ),
        "noise_common": np.array([curve.common for curve in noise.curves]),
    }
    for number, curve in enumerate(noise.curves):
        arrays[f"noise_knots_{number}"] = curve.knots
        arrays[f"noise_heights_{number}"] = curve.heights
    return arrays
