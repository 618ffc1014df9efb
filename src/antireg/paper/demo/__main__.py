"""The command `python -m antireg.paper.demo`: trains, then writes the page."""

from __future__ import annotations

import argparse
import csv
import io
import time
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from antireg.disk.atomic import write_whole
from antireg.paper.demo.fits import Outcome, run_all, trainings
from antireg.paper.demo.story import STORIES, html, readme_picture
from antireg.paper.experiments.plan import Cell


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and make the demo."""
    parser = argparse.ArgumentParser(
        prog="python -m antireg.paper.demo", description=__doc__
    )
    parser.add_argument("--folder", type=Path, default=Path("results/demo"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", type=Path, help="also write this SVG for a README")
    chosen = parser.parse_args(arguments)
    started = time.perf_counter()
    outcomes = train(trainings(chosen.seed))
    write(chosen.folder, outcomes, chosen.seed, chosen.picture)
    seconds = time.perf_counter() - started
    print(
        f"\nDone in {seconds:.0f} s. Open {chosen.folder / 'index.html'} in a browser."
    )


def train(cells: Sequence[Cell]) -> list[Outcome]:
    """Return the outcomes in the order of the cells; show a progress bar."""
    outcomes: dict[int, Outcome] = {}
    with tqdm(total=len(cells), desc="training", unit="fit") as bar:
        for number, outcome in run_all(cells):
            outcomes[number] = outcome
            bar.set_postfix_str(f"{outcome.problem}: {outcome.method}")
            bar.update()
    return [outcomes[number] for number in range(len(cells))]


def write(
    folder: Path, outcomes: Sequence[Outcome], seed: int, picture: Path | None = None
) -> None:
    """Write index.html and numbers.csv, whole or not at all.

    Args:
        folder: Where to write.
        outcomes: What to show.
        seed: Of the trainings.
        picture: Where to write the README's picture, if anywhere.
    """
    files = {
        folder / "numbers.csv": numbers_csv(outcomes, seed).encode(),
        folder / "index.html": html(outcomes, seed).encode(),
    }
    if picture is not None:
        files[picture] = readme_picture(outcomes).file()
    for path, content in files.items():
        write_whole(path, content)


def numbers_csv(outcomes: Sequence[Outcome], seed: int) -> str:
    """Return every number of the page, one per row."""
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(["problem", "method", "seed", "metric", "value"])
    for outcome in outcomes:
        for column in STORIES[outcome.problem].columns:
            value = f"{outcome.record[column.name]:.6g}"
            table.writerow([outcome.problem, outcome.method, seed, column.name, value])
    return stream.getvalue()


if __name__ == "__main__":
    main()
