from xml.etree import ElementTree

import numpy as np
import pytest

from antireg.paper import figures
from antireg.paper.experiments.printed import Printed
from antireg.paper.report import drawings
from antireg.paper.report.entries import NLL, Entry

TWO = {
    "DE (NLL)": Entry(NLL, [1.0, 3.0], Printed(2.5, 0.5)),
    "DARE": Entry(NLL, [], Printed(1.5, 0.25)),
}
LAYER = {
    "mean": np.array([2.0, 1.0, 0.1]),
    "std": np.array([1.0, 0.5, 0.0]),
    "stranger": np.array([0.0, 5.0, 1.0]),
    "weight": np.array([0.1, 0.2, 0.9]),
}


def a_filling(predicted=(0.5, 0.0, 3.0)):
    moments, measured = np.array([1.0, 2.0, 0.1]), np.array([0.4, 0.2, 2.0])
    return drawings.filling(
        moments, np.array(predicted), measured, np.array([0, 0, 9.0]), "Water"
    )


def an_ablation():
    lines = {"inside": [TWO["DE (NLL)"], TWO["DARE"]], "outside": [Entry(NLL, [])] * 2}
    levels = {"inside": Entry(NLL, [1.0]), "outside": Entry(NLL, [])}
    return drawings.ablation([0.0, 0.25], lines, levels, "weather")


@pytest.mark.parametrize(
    "draw",
    [
        lambda: drawings.dots(TWO, "NLL"),
        lambda: drawings.inside(LAYER, "layer 1", (6.0, 1.0)),
        lambda: drawings.curves({"a": (np.arange(3), np.arange(3))}, "t", "y"),
        an_ablation,
        a_filling,
    ],
)
def test_same_numbers_give_the_same_small_svg(draw):
    drawn = figures.svg(draw())
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert drawn == figures.svg(draw())
    assert len(drawn) < 150_000


def lines_of(axes, marker):
    return [line.get_xydata() for line in axes.lines if line.get_marker() == marker]


def test_dots_are_at_the_means_and_bars_as_long_as_the_sds():
    (axes,) = drawings.dots(TWO, "NLL").axes
    ours, papers = lines_of(axes, "o"), lines_of(axes, "D")
    assert [p[0, 0] for p in ours if len(p)] == [2.0]  # nothing where rows are missing
    assert [p[0, 0] for p in papers if len(p)] == [2.5, 1.5]
    bars = [line.get_xdata() for line in axes.lines if len(line.get_xdata()) == 2]
    assert any(np.allclose(bar, [2 - np.sqrt(2), 2 + np.sqrt(2)]) for bar in bars)
    assert any(np.allclose(bar, [1.25, 1.75]) for bar in bars)
    assert [label.get_text() for label in axes.get_yticklabels()] == list(TWO)


def test_layers_to_be_compared_share_their_scales():
    upper, lower = drawings.inside(LAYER, "layer 1", (10.0, 2.0)).axes
    assert upper.get_ylim() == (0, 10.5)
    assert lower.get_ylim() == (0, 2.1)


def test_curves_show_a_level_and_may_be_logarithmic():
    curve = {"λ = 1": (np.arange(1.0, 4), np.array([1.0, 10, 1e6]))}
    (axes,) = drawings.curves(curve, "Loss", "NLL", ("τ", 2.0), log=True).axes
    assert axes.get_yscale() == "log"
    assert [t.get_text() for t in axes.get_legend().get_texts()] == ["λ = 1", "τ"]


def test_ablation_leaves_out_what_is_missing():
    (axes,) = an_ablation().axes
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["inside", "DE (NLL)"]


def test_features_come_strongest_first_and_zeros_stand_on_the_floor():
    (axes,) = a_filling().axes
    assert [t.get_text() for t in axes.get_xticklabels()] == ["2", "1", "0.1"]
    (predicted,) = lines_of(axes, "s")
    assert predicted[:, 1].tolist() == [0.1, 0.5, 3.0]  # half the least measured
    (measured,) = lines_of(axes, "o")
    assert measured[:, 1].tolist() == [0.2, 0.4, 2.0]
