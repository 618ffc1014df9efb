"""The page of the demo: its problems, and what to see in their pictures."""

from __future__ import annotations

from collections.abc import Sequence

from antireg.paper.demo.fits import (
    DIGITS,
    LINE,
    MOONS,
    OLDEST,
    PATIENTS,
    UNSEEN,
    Outcome,
)
from antireg.paper.demo.layout import Column, Story, shown
from antireg.paper.experiments.pictures import FAR
from antireg.paper.report.figures import toys
from antireg.paper.report.results import points
from antireg.report.evaluation_charts import histogram
from antireg.report.page import Templates
from antireg.report.pictures import Picture

README_METHODS = ("DE (NLL)", "DARE", "doubt")


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
    """Return DE (NLL), DARE and doubt side by side, on the moons and on the line."""
    found = {(o.problem, o.method): o for o in outcomes}
    maps = [_uncertainty_map(found[MOONS, method]) for method in README_METHODS]
    lines = [_bands(found[LINE, method]) for method in README_METHODS]
    charts = (p.charts[0] for p in (*maps, *lines))
    return Picture(*charts, columns=len(README_METHODS))


def _uncertainty_map(outcome: Outcome) -> Picture:
    return toys.uncertainty_map(outcome.record, outcome.method)


def _ood_map(outcome: Outcome) -> Picture:
    return toys.ood_map(outcome.record, outcome.method)


def _bands(outcome: Outcome) -> Picture:
    return toys.bands(outcome.record, outcome.method)


def _digits(outcome: Outcome) -> Picture:
    unseen = f"unseen {UNSEEN[0]} and {UNSEEN[1]}"
    return _histogram(outcome, {"known digits": "test", unseen: "unseen"})


def _patients(outcome: Outcome) -> Picture:
    known = f"up to {OLDEST} years"
    return _histogram(outcome, {known: "test", "older": "older"})


def _histogram(outcome: Outcome, names: dict[str, str]) -> Picture:
    record = outcome.record
    scores = {
        name: points(record, f"{metric}_score")[1] for name, metric in names.items()
    }
    return histogram(scores, record["limit"], outcome.method)


FALSE_ALARMS = Column("false_alarms", "false alarms", ideal=0.05)

STORIES = {
    MOONS: Story(
        "Two moons: a plane with data in the middle",
        "Two classes of 100 points each, in a plane that is mostly empty. 20 members, "
        "500 passes over the data; doubt has the library's 5 members.",
        [
            (
                _uncertainty_map,
                "How uncertain each ensemble is, from certain (clear) to a coin toss "
                "(filled). Look at the corners, where there are no data. With "
                "cross-entropy, the ensemble is uncertain only along the border "
                "between the classes, however far from the data. With squared error, "
                "uncertainty grows with distance. DARE is uncertain everywhere but on "
                "the moons. Doubt, whose members are trained with cross-entropy too, "
                "is uncertain away from the data, as far as its members failed there "
                "when they rehearsed.",
            ),
            (
                _ood_map,
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
    LINE: Story(
        "A curve seen in two places",
        "100 noisy points near −0.5 and 0.75, and nothing between or beyond. 20 "
        "members, 1000 passes over the data; doubt has the library's 5 members and "
        "stops when they have learned.",
        [
            (
                _bands,
                "The band should contain the dashed truth: narrow at the data, wide in "
                "the gap and beyond the ends. Red marks below show where it does not. "
                "The deep ensembles stay certain where they know nothing. DARE's band "
                "widens. Away from the data, doubt returns to a straight line and then "
                "to what one would say without looking, the mean of all targets and "
                "their spread, which is too little where the truth leaves them. With "
                "so few points its members stop before they have learned the right "
                "cloud: see the error at the data.",
            )
        ],
        [
            Column("covered", "truth inside ±2σ"),
            Column("median_std", "σ on the line", "{:.2f}", None),
            Column("test_median_std", "σ at data", "{:.3f}", 0.02),
            Column("test_rmse", "error at data", "{:.3f}", 0.02),
        ],
        "The first column is the share of the line from −1.5 to 1.5 where the truth is "
        "in the band. A band that is too wide reaches 100 % as well, so the median σ "
        "is shown beside it. At 1000 new points where the data are, the median σ and "
        "the error should be close to the noise of 0.02.",
    ),
    DIGITS: Story(
        f"Handwritten digits, never shown {UNSEEN[0]} or {UNSEEN[1]}",
        "scikit-learn's 8 × 8 digits with the library's settings: 5 members, trained "
        f"on 0 to 7. Every {UNSEEN[0]} and {UNSEEN[1]} is unfamiliar.",
        [
            (
                _digits,
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
        "unseen digit gets a higher score than one of these. Digits without some of "
        "their kinds were among the tasks that doubt was designed by.",
    ),
    PATIENTS: Story(
        f"Patients older than {OLDEST}, after training on younger ones",
        "scikit-learn's diabetes study: 442 patients, ten measurements each, and how "
        "far the disease had gone a year later. The ensembles, with the library's "
        f"settings, are trained on those up to {OLDEST} years of age. Age is one of "
        "the ten columns.",
        [
            (
                _patients,
                "Scores of new patients up to that age and of older ones. Without "
                "doubt, the members say how uncertain they are, and extrapolate "
                "quietly. Doubt also looks whether a column has left the range it was "
                "seen in.",
            )
        ],
        [
            Column("older_auroc", "AUROC", "{:.3f}"),
            Column("older_flagged", "older flagged"),
            FALSE_ALARMS,
            Column("older_coverage90", "older inside 90 % interval", ideal=0.9),
        ],
        "False alarms (5 % are expected) are measured on the 30 % of the younger "
        "patients that were set aside for testing: 90, so each is about 1 %. The last "
        "column is the share of older patients whose outcome is in their interval.",
    ),
}
