"""What is fuzzed: each target spoils a good file and reads it as a user would.

A target has `spoil(rng)`, which writes one bad file, and `use()`, which returns
nothing, or raises ValueError or OSError in a sentence. A wrong answer is an Unsound.
"""

import hashlib
import shutil
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from pyarrow import parquet
from safetensors.numpy import load_file, save_file

import antireg
from antireg.cli import main
from antireg.cli.inputs import encoded_rows, labelled_rows, open_model
from antireg.storage import model_folder
from antireg.tables import column_names, learn_encoding, open_table, stream_table
from antireg.tables.scoring import score_pieces
from tests import doubtful_models
from tests.fuzzing.checkpoints import Training
from tests.fuzzing.monitors import States
from tests.fuzzing.mutations import spoiled_arrays, spoiled_bytes, spoiled_json
from tests.fuzzing.unsound import Unsound
from tests.made_tables import houses, written
from tests.small_models import classifier, regressor, rows
from tests.tampering import files, seal


class Model:
    """A folder, with bytes or values changed, and the checksums made right or not."""

    def __init__(self, work, name, make):
        self.good, self.bad = work / f"{name}-good", work / name
        make().save(self.good)
        self.X = rows(5)[0]

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
        model = antireg.load(self.bad)
        if not self.sealed and _digest(self.bad) != _digest(self.good):
            raise Unsound("a changed folder was taken for the one of its checksums")
        doubt = model.predict_doubt(self.X)
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


class Table:
    """A file of rows to fit to or to predict."""

    def __init__(self, work, kind):
        self.work, self.kind = work, kind
        train = written(houses(120), work / f"train.{kind}")
        self.model = work / f"model-{kind}"
        options = (
            "--target price --drop dear --n-members 2 --hidden 8 --epochs 3 --quiet"
        )
        if not self.model.exists():
            command = ["fit", train, *options.split(), "--random-state", "0", "--quiet"]
            if main([*command, "--out", str(self.model)]):
                raise RuntimeError("the model to predict with could not be made")
        self.stored, self.encoding = open_model(self.model)
        good = written(houses(40, seed=1), work / f"good.{kind}")
        if kind == "parquet":  # compression would hide most of the file
            parquet.write_table(houses(40, seed=1), good, compression="none")
        self.content = Path(good).read_bytes()
        self.bad = work / f"bad.{kind}"

    def spoil(self, rng):
        self.bad.write_bytes(spoiled_bytes(self.content, rng))
        self.way = [self._predict, self._learn, self._evaluate][rng.integers(3)]

    def use(self):
        self.way()

    def _evaluate(self):
        labelled_rows(self.bad, self.encoding, lambda _: None)

    def _predict(self):
        model, encoding = self.stored.model, self.encoding
        also = column_names(self.bad)
        pieces = stream_table(self.bad, encoding.types, also=also)
        kept = [name for name in also if name in encoding.types]
        for piece in score_pieces(
            model, encoding, pieces, model.detector(), coverage=0.9, kept=kept
        ):
            for name in ("mean", "std", "low", "high", "ood_score"):
                if not np.isfinite(piece.rows[name].to_numpy()).all():
                    raise Unsound(f"{name} is not finite")

    def _learn(self):
        names = column_names(self.bad)
        table = open_table(self.bad, names, [])
        encoding = learn_encoding(table, names[-1])
        encoded_rows(table.to_batches(), encoding, lambda _: None)


def targets(work):
    """Return everything to fuzz, by name, in a folder of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = Table(work, "csv")
        made = {
            "regressor": Model(work, "regressor", regressor),
            "two classes": Model(work, "two", classifier),
            "three classes": Model(work, "three", lambda: classifier((1, 2, 3))),
            "cross entropy": Model(
                work, "entropy", lambda: classifier(loss="cross_entropy")
            ),
            "doubting regressor": Model(work, "doubting", doubtful_models.regressor),
            "doubting classes": Model(work, "classes", doubtful_models.classifier),
            "checkpoint": Training(work),
            "monitor": States(work),
            "csv": table,
            "parquet": Table(work, "parquet"),
        }
        if find_spec("starlette") and find_spec("onnxruntime"):
            # Imported where used: they need the extra `serve`.
            from tests.fuzzing import requests  # noqa: PLC0415

            amounts = doubtful_models.regressor()
            made["requests"] = requests.of_arrays(work, amounts)
            made["requests of a table"] = requests.of_tables(work, table)
        return made


def _digest(folder):
    return [hashlib.sha256(file.read_bytes()).digest() for file in files(folder)]
