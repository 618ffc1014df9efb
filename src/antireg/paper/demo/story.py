"""The page of the demo: its problems, and what to see in their pictures."""

from __future__ import annotations

from collections.abc import Sequence

from antireg.paper.demo.fits import HALF, LONGER, MOONS, UNSEEN, Outcome
from antireg.paper.demo.layout import Column, Story, shown
from antireg.paper.experiments.pictures import FAR
from antireg.paper.experiments.rows import Record
from antireg.paper.report.figures.toys import bands, ood_map, uncertainty_map
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
    maps = [uncertainty_map(found[MOONS, m].record, m) for m in methods]
    lines = [bands(found[LONGER, m].record, m) for m in methods]
    return Picture(*(p.charts[0] for p in (*maps, *lines)), columns=2)


def _histograms(record: Record, title: str) -> Picture:
    names = {KNOWN_DIGITS: "test_score", UNSEEN_DIGITS: "unseen_score"}
    scores = {name: points(record, metric)[1] for name, metric in names.items()}
    return histogram(scores, record["limit"], title)


FALSE_ALARMS = Column("false_alarms", "false alarms", ideal=0.05)

LINE = [
    Column("covered", "truth inside ±2σ"),
    Column("median_std", "σ on the line", "{:.2f}", None),
    Column("test_median_std", "σ at data", "{:.3f}", 0.02),
    Column("test_rmse", "error at data", "{:.3f}", 0.02),
]

LINE_NOTE = (
    "The first column is the share of the line from −1.5 to 1.5 where the truth is in "
    "the band. A band that is too wide reaches 100 % as well, so the median σ is shown "
    "beside it. At 1000 new points where the data are, the median σ and the error "
    "should be close to the noise of 0.02."
)

STORIES = {
    MOONS: Story(
        "Two moons: a plane with data in the middle",
        "Two classes of 100 points each, in a plane that is mostly empty. 20 members, "
        "500 passes over the data.",
        [
            (
                uncertainty_map,
                "How uncertain each ensemble is, from certain (clear) to a coin toss "
                "(filled). Look at the corners, where there are no data. With "
                "cross-entropy, the ensemble is uncertain only along the border "
                "between the classes, however far from the data. With squared error, "
                "uncertainty grows with distance. DARE is uncertain everywhere but on "
                "the moons.",
            ),
            (
                ood_map,
                "What is_ood flags, with a threshold set to flag 5 % of familiar rows. "
                "The clear shape should be the moons and no more.",
            ),
        ],
        [
            Column("far_auroc", "AUROC", "{:.3f}"),
            Column("far_flagged", "flagged far away"),
            FALSE_ALARMS,
            Column("accuracy", "accuracy"),
        ],
        f"AUROC is the chance that a point more than {FAR:g} away from all training "
        "points gets a higher score than a validation point. False alarms (5 % are "
        "expected) and accuracy are measured on 1000 new points of the moons.",
    ),
    HALF: Story(
        "A curve seen in two places",
        "100 noisy points near −0.5 and 0.75, and nothing between or beyond. 20 "
        "members, 500 passes over the data.",
        [
            (
                bands,
                "The band should contain the dashed truth: narrow at the data, wide in "
                "the gap and beyond the ends. Red marks below show where it does not. "
                "The deep ensembles stay certain where they know nothing; DARE's band "
                "widens.",
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
                bands,
                "DARE's band is now much wider than it needs to be; the last two "
                "columns show what that costs at the data. More training does not "
                "widen the bands of the deep ensembles.",
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
                "Scores of new digits of the known kinds and of the unseen ones. They "
                "should hardly overlap: blue left of the dashed line, orange right of "
                "it.",
            )
        ],
        [
            Column("accuracy", "accuracy"),
            Column("unseen_auroc", "AUROC", "{:.3f}"),
            FALSE_ALARMS,
            Column("unseen_flagged", "unseen flagged"),
        ],
        "Accuracy and false alarms (5 % are expected) are measured on the 30 % of the "
        "known digits that were set aside for testing. AUROC is the chance that an "
        "unseen digit gets a higher score than one of these.",
    ),
}
