"""Write the page of the site from the rows: `python -m benchmarks.leaderboard.page`."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.leaderboard.book import RESULTS, Book
from benchmarks.leaderboard.diagram import diagram
from benchmarks.leaderboard.goals import goals
from benchmarks.leaderboard.lists import gaps, method_list, task_list
from benchmarks.leaderboard.measures import MEASURES
from benchmarks.leaderboard.method import Method
from benchmarks.leaderboard.ranks import Table
from benchmarks.leaderboard.registry import methods, tasks
from benchmarks.leaderboard.running import LIMIT, SEEDS
from benchmarks.leaderboard.sections import (
    duels,
    losses,
    rank_tables,
    unranked_losses,
    values,
)
from benchmarks.leaderboard.standing import standing
from benchmarks.leaderboard.task import MOST_JUDGED, MOST_TRAIN, Task
from benchmarks.leaderboard.why import why

from antireg.disk.atomic import write_whole

DOCS = Path(__file__).parents[2] / "docs"
PICTURE = "leaderboard.svg"
CHARTS = ("nll_out", "interval_score_out", "auroc", "nll_in")
TEMPLATE = Path(__file__).with_name("page.md").read_text()


def page(
    rows: Table, everyone: dict[str, Method], all_tasks: dict[str, Task]
) -> tuple[str, bytes]:
    """Return the text of the page, and its picture."""
    numbers = standing(rows, everyone, all_tasks, classes=False)
    classes = standing(rows, everyone, all_tasks, classes=True)
    charts = {
        MEASURES[name].title: ranks
        for name in CHARTS
        if (ranks := numbers.ranks(name)) is not None
    }
    text = TEMPLATE.format(
        n_methods=len(numbers.methods),
        n_all=sum(method.numbers for method in everyone.values()),
        n_wanted=SEEDS,
        n_tasks=len(numbers.tasks),
        n_all_tasks=len(numbers.tasks) + len(numbers.waiting),
        n_class_tasks=len(classes.tasks),
        seeds=_seeds(numbers.n_seeds),
        class_seeds=_seeds(classes.n_seeds),
        most_train=MOST_TRAIN,
        most_judged=MOST_JUDGED,
        limit=LIMIT,
        losses=losses(numbers),
        unranked_losses=unranked_losses(numbers, everyone),
        class_losses=losses(classes),
        goals=goals(numbers, everyone),
        why=why(numbers),
        ranks=rank_tables(numbers),
        judged=rank_tables(numbers, judged=True),
        class_ranks=rank_tables(classes),
        duels=duels(numbers, everyone),
        class_duels=duels(classes, everyone),
        nll=values(numbers, "nll_out"),
        intervals=values(numbers, "interval_score_out"),
        auroc=values(numbers, "auroc"),
        inside=values(numbers, "nll_in"),
        class_auroc=values(classes, "auroc"),
        gaps=gaps(rows, everyone, [numbers, classes]),
        methods=method_list(everyone),
        tasks=task_list(all_tasks),
        picture=PICTURE,
    )
    return text, diagram(charts, everyone).file()


def _seeds(number: int) -> str:
    return "one seed" if number == 1 else f"{number} seeds"


def main(arguments: list[str] | None = None) -> None:
    """Write the page and its picture."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.leaderboard.page", description=__doc__
    )
    parser.add_argument("--rows", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=DOCS)
    asked = parser.parse_args(arguments)
    book, everyone, all_tasks = Book(asked.rows), methods(), tasks()
    rows = Table([row for name in all_tasks for row in book.rows(name)])
    text, picture = page(rows, everyone, all_tasks)
    write_whole(asked.out / "leaderboard.md", text.encode())
    write_whole(asked.out / PICTURE, picture)


if __name__ == "__main__":
    main()
