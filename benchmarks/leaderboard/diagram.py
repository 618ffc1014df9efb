"""The critical-difference plot: mean ranks, each with a bar of the critical length."""

from __future__ import annotations

from benchmarks.leaderboard.method import Method
from benchmarks.leaderboard.methods.ours import DEFAULT
from benchmarks.leaderboard.ranks import Ranks

from antireg.report.charts import Chart
from antireg.report.pictures import DOUBT, FIRST, SOFT, Picture

ROW = 17.0
"""Height of a line, in SVG units."""


def diagram(titles: dict[str, Ranks], methods: dict[str, Method]) -> Picture:
    """Return a picture with a chart for each title; the best is at the top.

    Two methods differ where their bars, half a critical difference to each side of the
    mean rank, do not meet.
    """
    charts = [_chart(title, ranks, methods) for title, ranks in titles.items()]
    return Picture(*charts, columns=2)


def _chart(title: str, ranks: Ranks, methods: dict[str, Method]) -> Chart:
    names = list(ranks.means)
    half = ranks.critical / 2
    ends = [*(m - half for m in ranks.means.values())]
    ends += [m + half for m in ranks.means.values()]
    places = {name: float(-k) for k, name in enumerate(names)}
    chart = Chart(
        f"{title}, {ranks.n_tasks} tasks",
        "mean rank, lower is better",
        "",
        x=ends,
        y=[-len(names) + 0.4, 0.6],
        y_ticks={places[name]: methods[name].title for name in names},
        height=ROW * len(names) + 52,
    )
    for name in names:
        mean, place = ranks.means[name], places[name]
        ours = DOUBT if name == DEFAULT else FIRST if methods[name].ours else SOFT
        chart.line([mean - half, mean + half], [place, place], ours)
        chart.points([mean], [place], ours)
    return chart
