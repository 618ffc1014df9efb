"""Fuzz for a while: python -m tests.fuzzing --files 20000 --seconds 3600 --seed 0.

A run that ended early goes on with `--first`, which it says.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import torch

from tests.fuzzing.running import fuzz
from tests.fuzzing.targets import targets


def main():
    """Print what was found; return 1 if that is anything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as work:
        made = targets(Path(work))
        found = fuzz(made, args.files, args.seed, args.seconds, args.first)
    for ending, times in sorted(found.endings.items()):
        print(f"{ending}: {times}")
    for finding in found.findings:
        print(finding)
    seconds, number = found.slowest
    print(f"slowest: file {number}, {seconds:.2f} s; most: {found.megabytes:.0f} MB")
    print(f"{sum(found.endings.values())} files, {len(found.findings)} findings")
    if found.last < args.files:
        print(f"time is up: go on with --first {found.last}")
    return 1 if found.findings else 0


if __name__ == "__main__":
    sys.exit(main())
