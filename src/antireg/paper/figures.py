"""Drawings of results: arrays in, matplotlib figures out. Nothing here trains.

Each drawing makes its own figure, or goes into the `axes` it is given. Colours are
told apart by colour-blind readers and keep their meaning from figure to figure.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from antireg.predictive.values import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

INK, SOFT, LINE = "#1d2430", "#5b6574", "#d5d8de"
FAMILIAR, UNFAMILIAR = "#0072b2", "#e69f00"
SHADES = ("#ffffff", "#dcdcef", "#a29fd0", "#6a5fae", "#35246b")
"""From sure to unsure."""
CLASSES = (("o", "#e69f00"), ("^", "#0b8f6f"))
"""Marker and colour of the two classes of points in a plane."""


def require_matplotlib() -> None:
    """Raise, with what to type, if there is nothing to draw with."""
    try:
        import matplotlib.figure  # noqa: F401, PLC0415
    except ImportError as error:
        raise ImportError(
            'Figures need matplotlib. Get it with: pip install "antireg[figures]"'
        ) from error


def new_figure(width: float = 4.0, height: float = 3.0) -> Figure:
    """Return an empty white figure that belongs to no window.

    Args:
        width: In inches; text is made for 4 inches to a drawing.
        height: In inches.
    """
    require_matplotlib()
    from matplotlib.figure import Figure  # noqa: PLC0415

    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def svg(figure: Figure) -> bytes:
    """Return a figure as SVG, the same bytes for the same drawing."""
    from matplotlib import rc_context  # noqa: PLC0415

    stream = io.BytesIO()
    with rc_context({"svg.hashsalt": "antireg"}):
        figure.savefig(stream, format="svg", metadata={"Date": None}, dpi=150)
    return stream.getvalue()


def png(figure: Figure, pixels: int) -> bytes:
    """Return a figure as PNG of 256 colours, so many pixels wide."""
    from PIL import Image  # matplotlib needs it too  # noqa: PLC0415

    drawn, stream = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=pixels / figure.get_figwidth())
    few_colours = Image.open(drawn).convert("RGB").quantize(256)
    few_colours.save(stream, format="png", optimize=True)
    return stream.getvalue()


def uncertainty_map(
    unsure: Array,
    reach: float,
    points: Array,
    labels: Array,
    title: str,
    axes: Axes | None = None,
) -> Figure:
    """Draw how unsure an ensemble is of two classes over a square of the plane.

    Args:
        unsure: From 0, certain, to 1, a coin toss, (side, side), rows upwards.
        reach: The square is [−reach, reach]².
        points: Training points, (rows, 2).
        labels: Their classes, 0 and 1, (rows,).
        title: Name of the method.
    """
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415

    axes = _plane(points, labels, reach, title, axes)
    shades = LinearSegmentedColormap.from_list("unsure", SHADES)
    _fill(axes, unsure, shades, reach, {0.02: "sure", 0.96: "coin\ntoss"})
    return _figure_of(axes)


def ood_map(
    flagged: Array,
    reach: float,
    points: Array,
    labels: Array,
    title: str,
    axes: Axes | None = None,
) -> Figure:
    """Draw where a row would be flagged as unfamiliar.

    Args:
        flagged: Whether it would, (side, side), rows upwards.
        reach: This and the rest as in `uncertainty_map`.
    """
    from matplotlib.colors import ListedColormap  # noqa: PLC0415

    axes = _plane(points, labels, reach, title, axes)
    shades = ListedColormap([SHADES[0], SHADES[3]])
    _fill(axes, flagged, shades, reach, {0.25: "not\nflagged", 0.75: "flagged"})
    return _figure_of(axes)


def bands(
    x: Array,
    mean: Array,
    std: Array,
    truth: Array,
    points: tuple[Array, Array],
    title: str,
    axes: Axes | None = None,
) -> Figure:
    """Draw a ±2σ band along a line, and mark below where it misses the truth.

    Args:
        x: Where, (rows,).
        mean: What the ensemble says there, (rows,).
        std: σ, (rows,).
        truth: What is true there, (rows,).
        points: Training inputs and targets, (points,) each.
        title: Name of the method.
    """
    axes = frame(title, axes)
    low, high = mean - 2 * std, mean + 2 * std
    axes.fill_between(x, low, high, color=FAMILIAR, alpha=0.22, lw=0, label="±2σ")
    axes.plot(x, mean, color=FAMILIAR, lw=1.6, label="mean")
    axes.plot(x, truth, color=INK, lw=1.1, ls=(0, (4, 2)), label="truth")
    axes.plot(*points, "o", ms=3, mfc=UNFAMILIAR, mec="white", mew=0.4, label="data")
    missed = (truth < low) | (truth > high)
    where = axes.get_xaxis_transform()
    axes.fill_between(
        x, 0, 0.035, missed, transform=where, color="#b8322a", lw=0, label="missed"
    )
    axes.set(xlim=(x[0], x[-1]), ylim=(-2.4, 2.4))
    axes.set_xticks([-1.5, -0.75, 0, 0.75, 1.5])
    axes.set_yticks([-2, -1, 0, 1, 2])
    handles = axes.get_legend_handles_labels()[0]
    legend(axes, handles, loc="upper left", ncols=len(handles))
    return _figure_of(axes)


def score_histograms(
    familiar: Array,
    unfamiliar: Array,
    limit: float,
    names: tuple[str, str],
    title: str,
    axes: Axes | None = None,
) -> Figure:
    """Draw the OOD scores of familiar and unfamiliar rows, on a logarithmic scale.

    Args:
        familiar: Scores of in-distribution rows, (rows,).
        unfamiliar: Scores of out-of-distribution rows, (other rows,).
        limit: The score above which rows are flagged.
        names: What the two kinds of rows are.
        title: Name of the method.
    """
    axes = frame(title, axes)
    together = np.concatenate([familiar, unfamiliar, [limit]])
    lowest = max(np.quantile(together, 0.01), together.max() * 1e-8, 1e-300)
    edges = np.geomspace(lowest, max(together.max(), lowest * 10) * 1.05, 31)
    for scores, colour, name in zip(
        (familiar, unfamiliar), (FAMILIAR, UNFAMILIAR), names, strict=True
    ):
        inside = np.clip(scores, edges[0], edges[-1])
        share = np.histogram(inside, edges)[0] / len(scores)
        axes.stairs(share, edges, fill=True, color=colour, alpha=0.45, label=name)
        axes.stairs(share, edges, color=colour, lw=1.4)
    axes.axvline(limit, color=INK, lw=1.1, ls=(0, (4, 2)), label="flagged beyond")
    axes.set_xscale("log")
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(0, axes.get_ylim()[1] * 1.25)
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f} %")
    axes.set_xlabel("score: less familiar →", fontsize=8, color=SOFT)
    legend(axes, axes.get_legend_handles_labels()[0], loc="upper left", ncols=3)
    return _figure_of(axes)


def _plane(
    points: Array, labels: Array, reach: float, title: str, axes: Axes | None
) -> Axes:
    axes = new_figure(4.0, 3.4).subplots() if axes is None else axes
    frame(title, axes)
    for label, (marker, colour) in enumerate(CLASSES):
        x, y = points[labels == label].T
        axes.plot(x, y, marker, ms=3.8, mfc=colour, mec="white", mew=0.4, zorder=3)
    axes.set_xticks([-reach, 0, reach])
    axes.set_yticks([-reach, 0, reach])
    return axes


def _fill(
    axes: Axes, values: Array, shades: Colormap, reach: float, names: dict[float, str]
) -> None:
    """Shade the square by values from 0 to 1, and name some of them at its side."""
    square = (-reach, reach, -reach, reach)
    image = axes.imshow(values, shades, vmin=0, vmax=1, extent=square, origin="lower")
    bar = axes.figure.colorbar(image, ax=axes, ticks=list(names), pad=0.02, aspect=30)
    bar.ax.set_yticklabels(list(names.values()), fontsize=8, color=SOFT)
    bar.ax.tick_params(length=0)
    bar.outline.set_edgecolor(LINE)


def frame(title: str, axes: Axes | None = None) -> Axes:
    """Return titled axes in the colours of all drawings."""
    axes = new_figure().subplots() if axes is None else axes
    axes.set_title(title, fontsize=11, color=INK, loc="left", fontweight="bold")
    axes.tick_params(labelsize=8, colors=SOFT, color=LINE, length=3)
    axes.spines[["top", "right", "bottom", "left"]].set_color(LINE)
    return axes


def legend(axes: Axes, handles: Sequence[Any], **where: Any) -> None:
    """Name what was drawn, in small print."""
    axes.legend(
        handles=handles,
        fontsize=7.5,
        labelcolor=INK,
        edgecolor="none",
        framealpha=0.85,
        handlelength=1.3,
        columnspacing=1.0,
        borderpad=0.3,
        **where,
    )


def _figure_of(axes: Axes) -> Figure:
    return axes.figure  # type: ignore[return-value]
