"""The page of the demo: what each problem is, and what to see in its pictures."""

from __future__ import annotations

from collections.abc import Sequence

from antireg.paper.demo.fits import HALF, LONGER, MOONS, UNSEEN, Outcome
from antireg.paper.demo.layout import Column, Story, shown
from antireg.paper.experiments.pictures import FAR
from antireg.paper.report import toy_exhibits
from antireg.paper.report.results import points
from antireg.report.evaluation_charts import histogram
from antireg.report.page import Templates
from antireg.report.pictures import Picture

KNOWN_DIGITS, UNSEEN_DIGITS = "known digits", f"unseen {UNSEEN[0]} and {UNSEEN[1]}"


def html(outcomes: Sequence[Outcome], seed: int) -> str:
    """Return the page."""
    problems = dict.fromkeys(outcome.problem for outcome in outcomes)
    stories = [
        shown(STORIES[name], [o for o in outcomes if o.problem == name])
        for name in problems
    ]
    return Templates("antireg.paper.demo").render(
        "demo.html", stories=stories, seed=seed
    )


def readme_picture(outcomes: Sequence[Outcome]) -> Picture:
    """Return DE (NLL) beside DARE, on the moons and on the line."""
    found = {(o.problem, o.method): o for o in outcomes}
    methods = ("DE (NLL)", "DARE")
    maps = [_uncertainty_map(found[MOONS, method]) for method in methods]
    lines = [_bands(found[LONGER, method]) for method in methods]
    return Picture(*(p.charts[0] for p in (*maps, *lines)), columns=2)


def _uncertainty_map(outcome: Outcome) -> Picture:
    return toy_exhibits.uncertainty_map(outcome.record, outcome.method)


def _ood_map(outcome: Outcome) -> Picture:
    return toy_exhibits.ood_map(outcome.record, outcome.method)


def _bands(outcome: Outcome) -> Picture:
    return toy_exhibits.bands(outcome.record, outcome.method)


def _histograms(outcome: Outcome) -> Picture:
    names = {KNOWN_DIGITS: "test_score", UNSEEN_DIGITS: "unseen_score"}
    record = outcome.record
    scores = {name: points(record, metric)[1] for name, metric in names.items()}
    return histogram(scores, record["limit"], outcome.method)


FALSE_ALARMS = Column("false_alarms", "false alarms", ideal=0.05)

LINE = [
    Column("covered", "truth inside ±2σ"),
    Column("median_std", "σ on the line", "{:.2f}", None),
    Column("test_median_std", "σ at data", "{:.3f}", 0.02),
    Column("test_rmse", "error at data", "{:.3f}", 0.02),
]

LINE_NOTE = (
    "The first column is the share of the line from −1.5 to 1.5 where the truth is in "
    "the band. Too wide a band reaches 100 % as well, so the median σ stands beside "
    "it. At 1000 fresh points where the data are, σ (again the median) and error "
    "should come near the noise of 0.02."
)

STORIES = {
    MOONS: Story(
        "Two moons: a plane with data in the middle",
        "Two classes of 100 points each, in a plane that is mostly empty. 20 members, "
        "500 passes over the data.",
        [
            (
                _uncertainty_map,
                "How unsure each ensemble is, from sure (clear) to a coin toss "
                "(filled). Look at the corners, where there are no data: cross-entropy "
                "doubts along the border between the classes and is sure everywhere "
                "else, however far away. Squared error doubts more with distance. DARE "
                "doubts everything but the moons.",
            ),
            (
                _ood_map,
                "What is_ood flags, its alarm set for 5 % of familiar rows. The clear "
                "shape should be the moons and no more.",
            ),
        ],
        [
            Column("far_auroc", "AUROC", "{:.3f}"),
            Column("far_flagged", "flagged far away"),
            FALSE_ALARMS,
            Column("accuracy", "accuracy"),
        ],
        "AUROC is the chance that a point of the plane far away (from all training "
        f"points by more than {FAR:g}) gets a higher score than a validation point. "
        "False alarms, of which 5 % were asked for, and accuracy are on 1000 fresh "
        "points of the moons.",
    ),
    HALF: Story(
        "A curve seen in two places",
        "100 noisy points near −0.5 and 0.75, and nothing between or beyond. 20 "
        "members, 500 passes over the data.",
        [
            (
                _bands,
                "The band should hold the dashed truth: tight at the data, wide in the "
                "gap and beyond the ends. Red marks below show where it fails. The "
                "deep ensembles stay sure where they know nothing; DARE opens up.",
            )
        ],
        LINE,
        LINE_NOTE,
    ),
    LONGER: Story(
        "The same curve, trained twice as long",
        "DARE's weights grow by small steps and need enough of them. The same three "
        "ensembles after 1000 passes.",
        [
            (
                _bands,
                "DARE's band now opens much further than it has to; what that costs at "
                "the data is in the last two columns. More training does not open the "
                "deep ensembles' bands.",
            )
        ],
        LINE,
        LINE_NOTE,
    ),
    "digits": Story(
        f"Handwritten digits, never shown {UNSEEN[0]} or {UNSEEN[1]}",
        "scikit-learn's 8 × 8 digits with the library's default settings: 5 members, "
        f"trained on 0 to 7. Every {UNSEEN[0]} and {UNSEEN[1]} is unfamiliar.",
        [
            (
                _histograms,
                "Scores of fresh digits of the known kinds and of the unseen ones. "
                "Good is little overlap, blue left of the dashed line and orange "
                "right of it.",
            )
        ],
        [
            Column("accuracy", "accuracy"),
            Column("unseen_auroc", "AUROC", "{:.3f}"),
            FALSE_ALARMS,
            Column("unseen_flagged", "unseen flagged"),
        ],
        "Accuracy and false alarms, of which 5 % were asked for, are on the 30 % of "
        "the known digits that were set aside. AUROC is the chance that an unseen "
        "digit gets a higher score than one of these.",
    ),
}
