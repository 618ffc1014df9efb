"""Commands that cannot work end in one sentence, never in a traceback."""

import os
import signal
from dataclasses import dataclass, field
from typing import ClassVar

import pytest

import antireg
from antireg import METHODS, TableEncoder
from antireg.cli import main
from antireg.estimators import saving
from antireg.methods import DeepEnsemble
from antireg.tables import learn_encoding
from tests.made_tables import houses, written
from tests.quick_options import FAST
from tests.systems import KILLS


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return written(houses(120), tmp_path_factory.mktemp("tables") / "train.csv")


def said(capsys, *arguments: object) -> str:
    """Return the one sentence that a command ends with."""
    assert main([str(argument) for argument in arguments]) == 1
    lines = [
        line
        for line in capsys.readouterr().err.splitlines()
        if line and not line.startswith("Note: ")
    ]
    assert len(lines) == 1, lines
    return lines[0]


@pytest.mark.parametrize("option", ["target", "categorical"])
def test_a_column_that_is_dropped_cannot_be_used(table, capsys, tmp_path, option):
    command = ["fit", table, *FAST, "--out", tmp_path / "model", "--drop", "dear,new"]
    command += ["--target", "price"] if option == "categorical" else []
    column = {"target": "dear", "categorical": "new"}[option]
    message = said(capsys, *command, f"--{option}", column)
    assert message == (
        f"Error: --drop must not name a column of --{option}, got {column!r} for both. "
        "Leave it out of one of them."
    )


@dataclass
class Killed(DeepEnsemble):
    """A method whose worker is killed, as by the system when memory runs out."""

    made_in: int = field(default_factory=os.getpid)
    independent: ClassVar[bool] = True

    def init(self, network, data, seeds):
        assert os.getpid() != self.made_in, "only a worker may be killed"
        os.kill(os.getpid(), signal.SIGKILL)


@KILLS
def test_a_killed_worker_is_said(table, capsys, tmp_path, monkeypatch):
    # Small networks train in this process unless they are many.
    monkeypatch.setattr("antireg.training.groups.MANY", 1)
    monkeypatch.setitem(METHODS, "killed", Killed)
    command = ["fit", table, "--target", "price", "--drop", "dear", *FAST]
    command += ["--method", "killed", "--n-jobs", "2", "--out", tmp_path / "model"]
    message = said(capsys, *command)
    assert message.startswith("Error: Members 0, 1 were lost: a worker died")


NAMES = ("accuracy", "rows", "rmse", "coverage_90", "odd")
ODD = [None, True, "high", "", [], [0.5], {}, {"a": None}, 1e300, 10**400, -0.0]


@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:10])
def test_odd_metrics_are_shown_as_they_are(folder, tmp_path, capsys, value):
    numbers = houses(50).select(["size", "price"])
    for name in ("width", "height"):  # the stored model has three features
        numbers = numbers.append_column(name, numbers.column("size"))
    model = antireg.load(folder)
    model.encoder_ = TableEncoder.of(learn_encoding(numbers, "price"))
    saving.save(model, tmp_path / "odd", metrics=dict.fromkeys(NAMES, value))
    for form in ([], ["--json"], ["--quiet"]):
        assert main(["inspect", str(tmp_path / "odd"), *form]) == 0
        assert capsys.readouterr().err == ""
