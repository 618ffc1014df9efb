"""Folders of models, spoiled: a model is loaded and asked, or it is said why not."""

import hashlib
import shutil

import numpy as np
import pandas as pd
from safetensors.numpy import load_file, save_file

import antireg
from antireg.storage import model_folder
from tests import doubtful_models, trained_networks
from tests.fuzzing.mutations import spoiled_arrays, spoiled_bytes, spoiled_json
from tests.fuzzing.unsound import Unsound
from tests.made_tables import houses
from tests.small_models import classifier, regressor, rows
from tests.small_tables import QUICK
from tests.small_tables import table as plain_rows
from tests.tampering import files, seal


class Model:
    """A folder, with bytes or values changed, and the checksums made right or not."""

    def __init__(self, work, name, model, X=None, network=None):
        """Save the model; X are rows to ask it of, network its code if it has some."""
        self.good, self.bad = work / f"{name}-good", work / name
        model.save(self.good)
        self.X, self.network = rows(5)[0] if X is None else X, network
        shutil.copytree(self.good, self.bad)
        self.sealed = False
        self.use()  # what is not spoiled is answered

    def spoil(self, rng):
        shutil.rmtree(self.bad, ignore_errors=True)
        shutil.copytree(self.good, self.bad)
        words, arrays = files(self.bad)
        kind = rng.integers(8)
        if kind == 0:
            words.write_bytes(spoiled_bytes(words.read_bytes(), rng))
        elif kind == 1:
            arrays.write_bytes(spoiled_bytes(arrays.read_bytes(), rng))
        elif kind == 2:
            arrays.write_bytes(spoiled_bytes(arrays.read_bytes(), rng, first=1500))
        elif kind < 5:
            words.write_bytes(spoiled_json(words.read_bytes(), rng))
        else:
            save_file(spoiled_arrays(load_file(arrays), rng), arrays)
        self.sealed = rng.random() < 0.9
        if self.sealed:
            seal(self.bad)
        elif rng.random() < 0.5:
            sums = self.bad / model_folder.CHECKSUMS
            sums.write_bytes(spoiled_bytes(sums.read_bytes(), rng))

    def use(self):
        model = antireg.load(self.bad, network=self.network)
        if not self.sealed and _digest(self.bad) != _digest(self.good):
            raise Unsound("a changed folder was taken for the one of its checksums")
        doubt = getattr(model, "predict_doubt", model.doubt)(self.X)
        answers = [doubt, model.ood_score(self.X)]
        if hasattr(model, "predict_proba"):
            shares = model.predict_proba(self.X)
            if np.abs(shares.sum(axis=1) - 1).max() > 1e-6:
                raise Unsound(f"probabilities do not sum to 1: {shares}")
            answers.append(shares)
        else:
            answers += [model.predict(self.X), *model.predict_interval(self.X)]
        if any(len(a) != 5 or not np.isfinite(a).all() for a in answers):
            raise Unsound(f"answers are not finite: {answers}")
        if doubt.min() < 0 or doubt.max() > 1:
            raise Unsound(f"doubt is no share: {doubt}")


def _digest(folder):
    return [hashlib.sha256(file.read_bytes()).digest() for file in files(folder)]


def folders(work):
    """Return a target for each kind of model, by name."""
    amounts = trained_networks.regression_network(0)
    pictures = trained_networks.picture_network(0)
    made = {
        "regressor": (regressor(),),
        "two classes": (classifier(),),
        "three classes": (classifier((1, 2, 3)),),
        "cross entropy": (classifier(loss="cross_entropy"),),
        "doubting regressor": (doubtful_models.regressor(),),
        "doubting classes": (doubtful_models.classifier(),),
        "logarithms": (_of_logarithms(),),
        "frames": (_of_frames(), _frame(5)),
        "gate": (_gate(), plain_rows(5)[0]),
        "networks": (_amounts(amounts), trained_networks.rows(5, 3)[0], amounts),
        "networks of pictures": (
            _pictures(pictures),
            trained_networks.pictures(5, 3)[0],
            pictures,
        ),
    }
    return {
        name: Model(work, name.replace(" ", "-"), *parts)
        for name, parts in made.items()
    }


def _of_logarithms():
    X, y = doubtful_models.curved()
    changes = {"target_transform": "log", "epochs": 3}
    model = antireg.EnsembleRegressor(**doubtful_models.SETTINGS | changes)
    return model.fit(X, np.exp(0.1 * y))


def _frame(n_rows):
    """Return words, dates, gaps, numbers and booleans."""
    frame = houses(n_rows).to_pandas().drop(columns=["price", "dear"])
    days = pd.date_range("2024-01-01", periods=n_rows, freq="D")
    return frame.assign(sold=days)


def _of_frames():
    return antireg.EnsembleRegressor(**QUICK).fit(_frame(120), houses(120)["price"])


def _gate():
    X, y = plain_rows(60)
    inner = antireg.EnsembleRegressor(**QUICK, method="deep_ensemble")
    return antireg.TrustedRegressor(inner, random_state=0).fit(X, y)


def _amounts(network):
    model = antireg.from_networks(network, "regression", random_state=0)
    return model.fit(*trained_networks.rows(150, 1))


def _pictures(network):
    model = antireg.from_networks(network, "classification", classes=["c", "a", "b"])
    X, y = trained_networks.pictures(150, 1)
    return model.fit(X, np.array(["c", "a", "b"])[y])
