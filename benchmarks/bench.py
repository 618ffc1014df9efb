"""How fast training is: whole DARE trainings beside a plain per-member PyTorch loop.

    make bench          prints the ratios and writes results/bench/training.csv

Both do the same steps of DARE (penalty, control, Adam, validation, checkpoint) on the
same rows. They take turns in one process, and each is judged by its best time, so that
a busy machine changes the times but hardly the ratio. The last column is the share of
the peak that this machine reached in the same run on a large matrix product.
"""

from __future__ import annotations

import argparse
import csv
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import torch
from torch import nn

from antireg.data.base import Data
from antireg.losses import SquaredError
from antireg.methods import DARE
from antireg.methods.dare import EPSILON
from antireg.networks import mlp
from antireg.trainer import Settings, train

RESULTS = Path(__file__).parent.parent / "results" / "bench" / "training.csv"
THRESHOLD = 2.0  # above the loss of random targets, so the penalty is on at every step


@dataclass(frozen=True)
class Size:
    """One shape of ensemble and data."""

    name: str
    members: int
    layers: tuple[int, ...]
    batch_size: int
    steps: int

    @property
    def flops(self) -> int:
        """Multiplications and additions of a step: forward, and backward twice that.

        The gradient of the inputs is not needed, so the first layer has less.
        """
        products = [n_in * n_out for n_in, n_out in pairwise(self.layers)]
        return self.members * self.batch_size * (6 * sum(products) - 2 * products[0])


SIZES = (
    Size("two-moons", 20, (2, 100, 100, 100, 1), 32, 60),
    Size("cifar-features", 5, (64, 100, 100, 100, 10), 128, 60),
    Size("fashion-mnist", 5, (784, 100, 100, 100, 10), 128, 40),
    Size("citycam", 5, (2048, 100, 100, 100, 2), 128, 30),
)


def rows(size: Size, n_rows: int, seed: int) -> Data:
    """Return random rows of this size."""
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(n_rows, size.layers[0], generator=rng)
    return Data(x, torch.randn(n_rows, size.layers[-1], generator=rng))


def ours(size: Size, data: Data, validation: Data) -> None:
    """Train all members as one stack, for one epoch."""
    network = mlp(size.layers, seeds=range(size.members))
    settings = Settings(1, size.batch_size, 1e-3, range(size.members))
    train(network, data, validation, SquaredError(), DARE(THRESHOLD), settings)


def plain_loop(size: Size, data: Data, validation: Data) -> None:
    """Train one member after the other, as a tutorial would."""
    for seed in range(size.members):
        layers: list[nn.Module] = []
        for n_in, n_out in pairwise(size.layers):
            layers += [nn.Linear(n_in, n_out), nn.ReLU()]
        member = nn.Sequential(*layers[:-1])
        adam = torch.optim.Adam(member.parameters(), lr=1e-3, eps=1e-7)
        n_weights = sum(w.numel() for w in member.parameters())
        order = torch.randperm(len(data), generator=torch.Generator().manual_seed(seed))
        for batch in order.split(size.batch_size):
            adam.zero_grad()
            loss = (member(data.x[batch]) - data.y[batch]).square().mean()
            if loss.item() <= THRESHOLD:
                logs = ((w.square() + EPSILON).log().sum() for w in member.parameters())
                loss = loss - sum(logs) / n_weights
            loss.backward()
            adam.step()
        with torch.no_grad():
            (member(validation.x) - validation.y).square().mean().item()
        {name: w.clone() for name, w in member.state_dict().items()}


def peak() -> float:
    """Return the operations per second of a large single-precision product."""
    left, right = torch.randn(2048, 2048), torch.randn(2048, 2048)
    times = []
    for _ in range(5):
        started = time.perf_counter()
        left @ right
        times.append(time.perf_counter() - started)
    return float(2 * 2048**3 / min(times))


def seconds(run, *given) -> float:
    """Return how long a call takes."""
    started = time.perf_counter()
    run(*given)
    return time.perf_counter() - started


def measure(size: Size, repeats: int) -> dict[str, object]:
    """Return the best times of both in alternation, per step, and their ratio."""
    data = rows(size, size.steps * size.batch_size, seed=0)
    validation = rows(size, size.batch_size, seed=1)
    given = (size, data, validation)
    ours(*given), plain_loop(*given)
    times = [
        (seconds(ours, *given), seconds(plain_loop, *given), peak())
        for _ in range(repeats)
    ]
    best, loop = (
        min(column) / size.steps for column in list(zip(*times, strict=True))[:2]
    )
    return {
        "size": size.name,
        "threads": torch.get_num_threads(),
        "ours_ms_per_step": round(1e3 * best, 3),
        "loop_ms_per_step": round(1e3 * loop, 3),
        "ratio": round(loop / best, 2),
        "share_of_peak": round(size.flops / best / max(t[2] for t in times), 3),
    }


def main() -> None:
    """Measure all sizes and write them down."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    lines = []
    for size in SIZES:
        lines.append(measure(size, arguments.repeats))
        print(", ".join(f"{name} {value}" for name, value in lines[-1].items()))
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    temporary = RESULTS.with_suffix(".tmp")
    with temporary.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    temporary.replace(RESULTS)
    print(f"Written to {RESULTS}")


if __name__ == "__main__":
    main()
