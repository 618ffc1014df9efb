import re
from dataclasses import replace

import numpy as np
import pytest

from antireg.history import History
from antireg.methods.base import Shown
from antireg.report import evaluation_charts as charts
from antireg.report.evaluation import Evaluation
from antireg.report.pictures import FIRST, SECOND

RNG = np.random.default_rng(0)
LEVELS = np.array([0.25, 0.75])


def an_evaluation(intervals=True):
    """Of twenty rows, the last two of them wrong."""
    calibration = np.stack([LEVELS, [0.5, 0.5]])
    return Evaluation(
        scores=np.geomspace(0.01, 1, 20),
        flags=np.zeros(20, dtype=bool),
        uncertainty=np.linspace(0.1, 1, 20),
        error=np.repeat([0.0, 1.0], [18, 2]),
        calibration=calibration,
        coverage=np.stack([LEVELS, [0.1, 0.9]]) if intervals else None,
        metrics={},
    )


def drawn(intervals=True, names=("test.csv", "shifted.csv")):
    found = [an_evaluation(intervals) for _ in names]
    return list(zip(names, found, charts.COLOURS, strict=False))


def a_history(epochs=3):
    falling = np.linspace(2, 1, 2 * epochs).reshape(epochs, 2)
    return History(
        loss=falling,
        validation_loss=falling + 1,
        control=np.full((epochs, 2), 0.5),
        weight=np.linspace(1, 4, 2 * epochs).reshape(epochs, 2),
        kept=np.full(2, epochs),
        seconds=1.0,
    )


def the_chart(picture):
    (chart,) = picture.charts
    return chart


def names(picture):
    return [name for name, *_ in the_chart(picture).keys]


def back(chart, path):
    """Return the values a path was drawn from, (points, 2)."""
    places = np.array(re.findall(r"(-?[\d.]+),(-?[\d.]+)", path), dtype=float)
    ends = [[chart._between(axis, share) for share in (0.0, 1.0)] for axis in (0, 1)]
    shares = [
        (places[:, axis] - low) / (high - low) for axis, (low, high) in enumerate(ends)
    ]
    values = []
    for share, (low, high), log in zip(shares, chart.range, chart.log, strict=True):
        if log:
            values.append(np.exp(np.log(low) + share * np.log(high / low)))
        else:
            values.append(low + share * (high - low))
    return np.stack(values, axis=1)


def lines_of(picture, colour):
    chart = the_chart(picture)
    return [
        back(chart, path.get("d"))
        for path in chart.drawn.findall("path")
        if path.get("style").startswith(f"fill:none;stroke:{colour};")
    ]


def test_bars_of_the_histogram_are_shares_that_sum_to_one():
    scores = {"known": np.array([0.0, 1e-30, 1.0, 2.0]), "new": np.array([5.0, 1e9])}
    picture = charts.histogram(scores, 3.0)
    chart = the_chart(picture)
    assert names(picture) == ["known", "new", "threshold 3"]
    bars = [p.get("d") for p in chart.drawn.findall("path") if "H" in p.get("d")]
    for path in bars:
        boxes = re.findall(r"M[\d.]+,([\d.]+)H[\d.]+V([\d.]+)H", path)
        assert len(boxes) == charts.BARS
        top, bottom = np.array(boxes, dtype=float).T
        height = chart._between(1, 0.0) - chart._between(1, 1.0)
        # The tallest bar is the end of the axis; each place is rounded to 0.1.
        total = (bottom - top).sum() / height * chart.range[1][1]
        assert total == pytest.approx(1, abs=0.1 * charts.BARS / height)


def test_scores_all_alike_can_be_drawn():
    for value in (0.0, 1.0):
        scores = {"a": np.full(3, value), "b": np.full(3, value)}
        text = charts.histogram(scores, value).__html__()
        assert not re.search(r"\b(nan|inf)\b", text)


def test_the_threshold_lies_where_it_is():
    picture = charts.histogram({"a": np.array([0.01, 1.0])}, 0.1)
    ((start, _),) = lines_of(picture, "var(--ink)")
    assert start[0] == pytest.approx(0.1, rel=0.01)


@pytest.mark.parametrize(
    ("draw", "expected"),
    [(charts.calibration, [0.5, 0.5]), (charts.coverage, [0.1, 0.9])],
)
def test_what_was_reached_is_drawn_over_what_was_asked_for(draw, expected):
    picture = draw(drawn())
    for colour in (FIRST, SECOND):
        (line,) = lines_of(picture, colour)
        assert line[:, 0] == pytest.approx(LEVELS, abs=0.001)
        assert line[:, 1] == pytest.approx(expected, abs=0.001)
    assert names(picture) == ["test.csv", "shifted.csv"]


def test_a_classifier_is_calibrated_by_its_confidence():
    assert the_chart(charts.calibration(drawn())).labels[0] == "quantile"
    shown = charts.calibration(drawn(intervals=False))
    assert the_chart(shown).labels == ("confidence", "accuracy")


def test_errors_of_a_regressor_are_dots_and_no_more_than_can_be_told_apart():
    assert "Error" in the_chart(charts.error(drawn())).title
    groups = the_chart(charts.error(drawn())).drawn.findall("g")
    assert [len(group) for group in groups] == [20, 20]
    many = an_evaluation()
    big = Evaluation(
        **{
            **vars(many),
            "uncertainty": RNG.uniform(1, 2, 5000),
            "error": RNG.uniform(1, 2, 5000),
        }
    )
    (group,) = the_chart(charts.error([("a", big, FIRST)])).drawn.findall("g")
    assert len(group) == charts.MOST_DOTS


def test_every_bar_says_its_scores_and_shares():
    scores = {"known": np.array([1.0, 1.0, 1.0, 4.0]), "new": np.array([4.0])}
    chart = the_chart(charts.histogram(scores, 2.0))
    said = [title.text for title in chart.drawn.iter("title")]
    assert len(said) == charts.BARS
    assert said[0] == "score up to 1.04: known 75.0%, new 0.0%"
    assert said[-1].endswith("to 4: known 25.0%, new 100.0%")


def test_scores_of_zero_do_not_stretch_the_histogram():
    scores = np.concatenate([[0.0, 1e-9], np.linspace(1, 2, 200)])
    chart = the_chart(charts.histogram({"a": scores}, 1.5))
    assert chart.range[0][0] >= 0.9


def test_the_loss_chart_shows_what_was_learned_not_the_first_fall():
    falling = np.concatenate([np.geomspace(1000, 2, 10), np.linspace(1.5, 1, 90)])
    history = a_history(100)
    curves = np.stack([falling, falling], 1)
    history = replace(history, loss=curves, validation_loss=curves + 0.1)
    chart = the_chart(charts.losses(history, []))
    assert chart.range[1][0] <= 1.0
    assert 1.3 < chart.range[1][1] < 3
    blown = np.where(np.arange(100)[:, None] > 95, 1e6, curves)
    chart = the_chart(charts.losses(replace(history, validation_loss=blown), []))
    assert chart.range[1][1] < 3


def test_without_a_penalty_there_is_no_chart_of_it():
    history = a_history()
    assert charts.growth(replace(history, control=0 * history.control)) is None


def test_errors_of_a_classifier_are_shares_of_tenths_by_score():
    picture = charts.error(drawn(intervals=False, names=("a",)))
    (line,) = lines_of(picture, FIRST)
    # Two rows to a tenth; only the two of highest score are wrong.
    assert line[:, 1] == pytest.approx([0] * 9 + [1], abs=0.01)


def test_tau_is_drawn_if_it_can_be():
    history = a_history()
    endless = Shown("threshold", "τ", np.inf, "The loss is under τ")
    for shown in ([], [endless]):
        assert not lines_of(charts.losses(history, shown), "var(--ink)")
    tau = endless._replace(value=1.5)
    ((start, _),) = lines_of(charts.losses(history, [tau]), "var(--ink)")
    assert start[1] == pytest.approx(1.5, abs=0.01)


def test_losses_and_weights_are_means_over_members():
    history = a_history()
    (train,) = lines_of(charts.losses(history, []), FIRST)
    assert train[:, 1] == pytest.approx([1.9, 1.5, 1.1], abs=0.02)
    picture = charts.growth(history)
    (weight,) = lines_of(picture, FIRST)
    # Means 1.3, 2.5 and 3.7, of the largest.
    assert weight[:, 1] == pytest.approx(np.array([1.3, 2.5, 3.7]) / 3.7, abs=0.01)
    assert names(picture)[1] == "mean |θ|, up to 3.7"
