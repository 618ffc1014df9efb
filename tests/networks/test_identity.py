"""Modules of equal weights are told apart by what else they hold."""

import functools
import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

from antireg.networks.identity import told


def holding(value: object) -> nn.Module:
    module = nn.Linear(2, 1)
    module.value = value
    return module


def scaled(by: object):
    return lambda x: x * by


def named(x, *, by=1):
    return x * by


PAIRS = {
    "tensors": (torch.zeros(2000), torch.zeros(2000).index_fill(0, torch.tensor(9), 1)),
    "short floats": (torch.zeros(2).bfloat16(), torch.ones(2).bfloat16()),
    "sizes": (torch.zeros(2, device="meta"), torch.zeros(3, device="meta")),
    "dates": (np.array(["2020"], "M8[D]"), np.array(["2021"], "M8[D]")),
    "arrays": (np.arange(3), np.arange(3) + 1),
    "types": (np.zeros(2, np.float32), np.zeros(1, np.float64)),
    "scalars": (np.float32(1), np.float32(2)),
    "dicts": ({"a": 1}, {"a": 2}),
    "tensors in dicts": ({"a": [torch.ones(2)]}, {"a": [torch.zeros(2)]}),
    "code": (lambda x: x + 1, lambda x: x * 1),
    "constants": (lambda x: x + 1, lambda x: x + 2),
    "names": (lambda x: x.sin(), lambda x: x.cos()),
    "closures": (scaled(1), scaled(2)),
    "tensors in closures": (scaled(torch.ones(1)), scaled(torch.zeros(1))),
    "inner functions": (lambda x: lambda: 1, lambda x: lambda: 2),
    "partials": (functools.partial(named, by=1), functools.partial(named, by=2)),
    "functions of PyTorch": (torch.tanh, torch.relu),
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_other_values_are_told_apart(pair) -> None:
    one, other = map(told, map(holding, pair))
    assert one != other
    assert told(holding(pair[0])) == one


def test_the_same_function_made_twice_is_the_same() -> None:
    assert told(holding(scaled(2))) == told(holding(scaled(2)))


def test_what_holds_itself_has_an_end() -> None:
    round_and_round: list = []
    round_and_round.append(round_and_round)
    assert told(holding(round_and_round)) == told(holding(round_and_round))


SCRIPT = """
from torch import nn
from antireg.networks.identity import told
module = nn.Linear(2, 1)
module.words = {"a", "b", "c"}
module.choose = lambda x: x in {"a", "b", "c"} or (lambda: object())
module.other = object()
print(told(module))
"""


def test_it_is_the_same_in_other_processes() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
