import sys
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest

from antireg.paper import figures

RNG = np.random.default_rng(0)
POINTS, LABELS = RNG.normal(size=(20, 2)), np.repeat([0, 1], 10)
X = np.linspace(-1.5, 1.5, 31)


SHADE = RNG.uniform(size=(9, 9))


def a_band(axes=None):
    data = (X[::5], np.zeros(7))
    return figures.bands(X, 0 * X, 0 * X + 0.5, 2 * X, data, "DARE", axes)


def histograms(familiar, unfamiliar, limit):
    names = ("known", "unseen")
    return figures.score_histograms(familiar, unfamiliar, limit, names, "DARE")


@pytest.mark.parametrize(
    "draw",
    [
        lambda: figures.uncertainty_map(SHADE, 3.0, POINTS, LABELS, "DARE"),
        lambda: figures.ood_map(SHADE > 0.5, 3.0, POINTS, LABELS, "DARE"),
        a_band,
        lambda: histograms(np.exp(X), np.exp(X + 1), 2.0),
    ],
)
def test_same_arrays_give_the_same_small_svg(draw):
    drawn = figures.svg(draw())
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert drawn == figures.svg(draw())
    assert len(drawn) < 300_000


def test_band_marks_where_it_misses_the_truth():
    figure = figures.new_figure()
    axes = figure.subplots()
    assert a_band(axes) is figure
    missed = axes.collections[-1]
    assert missed.get_label() == "missed"
    edges = np.concatenate([path.vertices[:, 0] for path in missed.get_paths()])
    assert np.abs(edges).min() > 0.5  # ±2σ is ±1, the truth 2x
    assert edges.min() == -1.5
    assert edges.max() == 1.5


def test_histogram_bars_are_shares_that_sum_to_one():
    figure = histograms(np.array([0.0, 1e-30, 1.0, 2.0]), np.array([5.0, 1e9]), 3.0)
    bars = [patch for patch in figure.axes[0].patches if patch.get_fill()]
    assert [patch.get_data().values.sum() for patch in bars] == [1.0, 1.0]


def test_scores_all_alike_can_be_drawn():
    assert figures.svg(histograms(np.zeros(3), np.zeros(3), 0.0))
    assert figures.svg(histograms(np.ones(3), np.ones(3), 1.0))


def test_png_has_the_width_asked_for():
    drawn = figures.png(a_band(), pixels=320)
    assert drawn.startswith(b"\x89PNG")
    assert int.from_bytes(drawn[16:20]) == 320


def test_drawing_leaves_matplotlib_as_it_was():
    names = matplotlib.rcParams.keys() - {"backend"}  # to read it is to choose one
    before = {name: matplotlib.rcParams[name] for name in names}
    figures.svg(a_band())
    assert {name: matplotlib.rcParams[name] for name in names} == before


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r'pip install "antireg\[figures\]"'):
        figures.new_figure()
