"""A fitted ensemble for services without PyTorch."""

from __future__ import annotations

import os

from sklearn.utils.validation import check_is_fitted

from antireg.disk.atomic import write_whole
from antireg.estimators.base import Ensemble
from antireg.networks import MLPStack
from antireg.tables.encoding import Encoding
from antireg.trained.base import Networks


def to_onnx(
    model: Ensemble | Networks,
    path: str | os.PathLike[str],
    *,
    coverage: float = 0.9,
    encoding: Encoding | None = None,
) -> None:
    """Write one ONNX graph from raw columns to predictions, OOD score and flag.

    The input is `X`, float32 (rows, features), any number of rows, or with the axes
    that trained networks take. Outputs are `mean`,
    `std`, `low` and `high` of a regressor, `probabilities` and `label` of a classifier,
    and `ood_score` and `flag` of both, and `doubt` of a model that has it, whose
    reference rows are then in the file, as is `reason_column`: the index of the column
    that tells most of a flagged row, −1 if none does. Other numbers are double, because
    uncertainty far from the data may exceed every float32. Where the mixture's cdf is
    flat to the last digit, low and high may be a different point of the flat part than
    those of `predict_interval`.

    Members themselves are float32 here and in PyTorch, which take sums in other orders:
    they differ by some 2⁻²⁴ = 6e-8 of what is summed up. With doubt, answers agree to
    1e-4 of themselves and `doubt`, which begins at 0, to 1e-4. Draws of `MaxWEnt` agree
    to 1e-3: their weights cancel, so that what is summed up can be some thousand times
    the sum. Without doubt, they differ the more, the farther a row is from the data.

    Args:
        model: Fitted, with fully connected members; or from `from_networks`, whose
            modules PyTorch can export.
        path: The file to write.
        coverage: Probability of the interval between low and high.
        encoding: How the columns of a table become features, by default that of a
            model fitted on a table with words or gaps; then each column is an input of
            the graph, (rows, 1): float32, NaN if missing, or string, empty if missing.
            A date is double: seconds since 1970, as UTC, NaN if missing.

    Examples:
        >>> import tempfile
        >>> import numpy as np
        >>> import onnxruntime
        >>> from antireg import EnsembleRegressor, export
        >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2)).astype("float32")
        >>> model = EnsembleRegressor(steps=50, doubt=None).fit(X, X[:, 0])
        >>> path = tempfile.mkdtemp() + "/model.onnx"
        >>> export.to_onnx(model, path)
        >>> session = onnxruntime.InferenceSession(path)
        >>> mean, flag = session.run(["mean", "flag"], {"X": X})
        >>> bool(np.allclose(mean, model.predict(X), atol=1e-5))
        True
    """
    check_is_fitted(model)
    encoder = getattr(model, "encoder_", None)
    if encoding is None and encoder is not None and not encoder.encoding_.plain:
        encoding = encoder.encoding_
    if not isinstance(model, Networks) and not isinstance(model.network_, MLPStack):
        raise ValueError(
            "model must have fully connected members to be exported, got a network of "
            "your own. Export that with torch.onnx and use model.scaling_ before it, "
            "or wrap it, trained, in antireg.from_networks."
        )
    if not 0 < coverage < 1:
        raise ValueError(f"coverage must be between 0 and 1, got {coverage}. Try 0.9.")
    try:
        from antireg.onnx.graph import ensemble_graph  # noqa: PLC0415  (extra `onnx`)
        from antireg.onnx.modules import networks_graph  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "onnx is needed to export. Use: pip install 'antireg[onnx]'", name="onnx"
        ) from error
    limit = model.ood_threshold()
    if isinstance(model, Networks):
        graph = networks_graph(model, coverage, limit)
    else:
        graph = ensemble_graph(model, coverage, limit, encoding)
    write_whole(path, graph.SerializeToString())
