"""Fuzz for a while: python -m tests.fuzzing --files 20000 --seconds 600 --seed 0."""

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
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as work:
        made = targets(Path(work))
        findings, endings = fuzz(made, args.files, args.seed, args.seconds)
    for ending, times in sorted(endings.items()):
        print(f"{ending}: {times}")
    for finding in findings:
        print(finding)
    print(f"{sum(endings.values())} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
