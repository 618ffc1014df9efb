"""Checkpoints of a training, spoiled; the training goes on from them, or says why not.

One without a right checksum may only be refused, or change nothing.
"""

import shutil

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load, save

from antireg import EnsembleRegressor
from antireg.methods.base import DivergedError
from antireg.training import checkpoint
from tests.fuzzing.mutations import spoiled_arrays, spoiled_bytes
from tests.fuzzing.unsound import Unsound
from tests.small_models import SMALL, rows


class Stop(Exception):
    """The training is to be gone on with."""


class Training:
    """A folder with the checkpoint of a training that was stopped after an epoch."""

    def __init__(self, work):
        self.X, self.y = rows(60)
        self.good, self.bad = work / "checkpoint-good", work / "checkpoint"
        before, checkpoint.SECONDS = checkpoint.SECONDS, 0.0
        try:
            self._fit(self.good, callbacks=[_stop_at_the_second])
        except Stop:
            pass
        finally:
            checkpoint.SECONDS = before
        (self.file,) = self.good.iterdir()
        with safe_open(self.file, framework="pt") as file:
            self.told = file.metadata()
        self.answers = self._fit(self.bad).predict(self.X)

    def _fit(self, folder, **settings):
        settings = SMALL | {"method": "deep_ensemble"} | settings
        seen = (self.X[:20], self.y[:20])
        model = EnsembleRegressor(**settings)
        return model.fit(self.X, self.y, validation_data=seen, checkpoint=folder)

    def spoil(self, rng):
        shutil.rmtree(self.bad, ignore_errors=True)
        self.bad.mkdir()
        content, kind = self.file.read_bytes(), rng.integers(3)
        self.sealed = kind > 0
        if kind < 2:
            first = 1500 if rng.random() < 0.5 else None
            content = spoiled_bytes(content, rng, first)
        if kind == 1:
            content = self._sealed_bytes(content)
        elif kind == 2:
            arrays = {name: t.numpy() for name, t in load(content).items()}
            spoiled = spoiled_arrays(arrays, rng)
            content = self._sealed({n: torch.from_numpy(a) for n, a in spoiled.items()})
        (self.bad / self.file.name).write_bytes(content)

    def _sealed_bytes(self, content):
        try:
            return self._sealed(load(content))
        except (SafetensorError, ValueError, KeyError, RuntimeError):
            return content  # it is no longer a file of tensors

    def _sealed(self, tensors):
        sums = {"sha256": checkpoint.checksum(tensors)}
        return save(tensors, self.told | sums)

    def use(self):
        try:
            answers = self._fit(self.bad).predict(self.X)
        except DivergedError as error:
            raise ValueError(str(error)) from error
        if not self.sealed and not np.array_equal(answers, self.answers):
            raise Unsound("a changed checkpoint led to another model")
        if not np.isfinite(answers).all():
            raise Unsound("answers are not finite")


def _stop_at_the_second(epoch):
    if epoch.number == 2:
        raise Stop
