"""Examples of the pages run as printed, and say what they say."""

import numpy as np
import pandas as pd
import torch
from benchmarks.trusted import RESULTS
from benchmarks.trusted_table import filled

from tests.pages import DOCS, run


def assert_trusted(model, X_new) -> None:
    """Check what both pages say of a familiar row and a strange one."""
    assert model.is_ood(X_new).tolist() == [False, True]
    familiar, strange = model.doubt(X_new)
    assert familiar < 0.1
    assert strange > 0.5


def test_a_gate_does_what_its_page_says() -> None:
    said = run("trusted.md")
    assert_trusted(said["model"], said["X_new"])
    assert (said["low"] < said["mean"]).all()
    assert said["model"].as_detector().predict(said["X_new"]).tolist() == [1, -1]


def test_the_tables_of_gates_are_made_from_the_rows() -> None:
    page = (DOCS / "trusted.md").read_text()
    assert filled(page, pd.read_csv(RESULTS)) == page
    assert page.count("worst NLL inside, over plain: ") >= 2


def test_trained_networks_do_what_their_page_says() -> None:
    before = torch.random.get_rng_state()
    said = run("networks.md")
    torch.random.set_rng_state(before)
    assert_trusted(said["model"], said["X_new"])
    assert (said["low"] < said["mean"]).all()
    assert (said["mean"] < said["high"]).all()
    dare = said["dare"]
    assert said["valid_loss"](said["net"]) <= dare.threshold
    assert len(dare.history) == 60
    assert 0 < np.mean(dare.history) <= 1
