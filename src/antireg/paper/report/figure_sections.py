"""The figures on the page, each with a sentence on what to see."""

from __future__ import annotations

from collections.abc import Mapping

from antireg.paper.experiments.pictures import FAR, STRANGER
from antireg.paper.report.entries import Kind, number, percent
from antireg.paper.report.exhibits import Exhibit
from antireg.paper.report.results import Results, points
from antireg.paper.report.toy_exhibits import N_LAYERS, TOYS, layers
from antireg.report import page
from antireg.report.page import Html

PERCENT = Kind("percent", digits=1, scale=100.0)
FINE = Kind("fine", digits=3)
WEAK = 20
"""The components that the paper looks at: the last of 100."""


def toys(results: Results, exhibits: Mapping[str, Exhibit]) -> list[Html]:
    """Return the small problems of the paper, and theorem 1."""
    sections = (_two_moons, _curve, _inside, _water)
    return [section(results, exhibits) for section in sections]


def training(results: Results, exhibits: Mapping[str, Exhibit]) -> list[Html]:
    """Return how λ and δ act on CityCam."""
    return [
        page.section(
            "What the control of λ does",
            page.paragraph(
                "CityCam, weather shift, first seed: no reward for large weights, the "
                "reward always, and the reward only while the loss is under τ."
            ),
            exhibits["lambdas"].html(
                "Without the reward weights stay small; with it they grow and the loss "
                "explodes. Under control they grow as well, and λ is switched off "
                "where the loss passes τ. All are means over the members."
            ),
            page.note(_ends(results)),
            name="lambda",
        ),
        page.section(
            "How much worse may it become? The choice of δ",
            page.paragraph(
                "DARE's NLL inside and outside against δ, for the first seed; δ = 0.25 "
                "is that of the tables. Dashed: the deep ensemble."
            ),
            exhibits["deltas"].html(
                "The paper sees less NLL outside and slightly more inside as δ grows. "
                "Where the orange line does not fall, δ does not buy what it should."
            ),
            name="delta",
        ),
    ]


def _two_moons(results: Results, exhibits: Mapping[str, Exhibit]) -> Html:
    """Return what is doubted and flagged around two moons."""
    return page.section(
        "Two moons",
        page.paragraph(
            "200 points of two classes in a plane that is mostly empty; 20 members."
        ),
        exhibits["uncertainty_maps"].html(
            "From sure (white) to a coin toss (dark). Cross-entropy doubts only "
            "along the border of the classes, however far away the data are; "
            "squared error doubts more with distance; DARE everywhere but at the "
            "moons."
        ),
        exhibits["ood_maps"].html(
            "What is flagged with the alarm set for 5 % of 50 validation points. "
            "The white shape should be the moons and no more."
        ),
        _numbers(
            results,
            "two-moons",
            ("far_flagged", "far flagged, %", PERCENT),
            ("far_auroc", "far AUROC, %", PERCENT),
            ("false_alarms", "false alarms, %", PERCENT),
            ("accuracy", "accuracy, %", PERCENT),
        ),
        page.note(
            f"Far is farther than {FAR:g} from every training point. DE (MSE) "
            "flags far points nearly as well as DARE here: on the moons, squared "
            "error does most of the work."
        )
        if _is_near(results)
        else page.note(f"Far is farther than {FAR:g} from all training data."),
        name="two-moons",
    )


def _curve(results: Results, exhibits: Mapping[str, Exhibit]) -> Html:
    """Return the bands around a curve."""
    return page.section(
        "A curve seen in two places",
        page.paragraph("100 noisy points near −0.5 and 0.75, and none elsewhere."),
        exhibits["line_bands"].html(
            "The ±2σ band should hold the dashed truth; red marks below show where "
            "it does not. DARE's opens beyond the data, and further than it has to."
        ),
        _numbers(
            results,
            "one-dimensional",
            ("covered", "truth inside ±2σ, % of the line", PERCENT),
            ("test_median_std", "median σ at the data", FINE),
            ("test_rmse", "error at the data", FINE),
        ),
        page.note("At the data, σ and error should come near the noise of 0.02."),
        name="line",
    )


def _inside(results: Results, exhibits: Mapping[str, Exhibit]) -> Html:
    """Return what the layers of one member say."""
    return page.section(
        "Inside one member",
        page.paragraph(
            "What each hidden layer of the first member says of the moons, and of "
            f"one stranger at ({number(STRANGER[0], 1)}, {number(STRANGER[1], 1)})."
        ),
        exhibits["inside_members"].html(
            "Components that hardly vary in training (right) get the larger "
            "weights under DARE, and the stranger's largest activation grows "
            "from layer to layer; in a deep ensemble (lower row, same scales) "
            "neither happens."
        ),
        page.note(_weak(results)),
        name="inside",
    )


def _water(results: Results, exhibits: Mapping[str, Exhibit]) -> Html:
    """Return theorem 1 beside what was measured."""
    return page.section(
        "Theorem 1: water filling",
        page.paragraph(
            "A linear ensemble of 200 members, trained by DARE until its loss has "
            "risen by a budget. The theorem says how far each weight then strays: "
            "the less its feature varies, the further."
        ),
        exhibits["water"].html(
            "Measured beside predicted, by feature; crosses are what a reward "
            "without log would do, all on the weakest feature and nothing (shown "
            "on the floor) elsewhere. On the left the theorem holds, a little low "
            "as not all of the budget is spent. On the right it does not: log θ² "
            "is a barrier at 0, and members that start on the wrong side stay "
            "there, where the theorem's maximum would have them cross."
        ),
        _spent(results),
        name="water",
    )


def _numbers(results: Results, study: str, *columns: tuple[str, str, Kind]) -> Html:
    rows = []
    for name in TOYS:
        found = (
            results.entry(study, name, metric, kind) for metric, _, kind in columns
        )
        rows.append([name, *(e.text if e else page.absent(e.text) for e in found)])
    shown = page.table(["", *(title for _, title, _ in columns)], rows)
    return page.side_by_side([shown])


def _is_near(results: Results) -> bool:
    """Return whether DE (MSE) flags as much of what is far as DARE does."""
    shares = [
        results.entry("two-moons", name, "far_flagged", PERCENT)
        for name in ("DE (MSE)", "DARE")
    ]
    return all(shares) and shares[0].mean >= shares[1].mean - 2


def _weak(results: Results) -> str:
    """Return how much of the stranger is seen by what hardly varies in training."""
    record = results.record("two-moons", "DARE")
    if record is None:
        return "No rows yet."
    last = layers(record)[N_LAYERS]
    share = last["stranger"][-WEAK:].sum() / last["stranger"].sum()
    ratio = last["weight"][-WEAK:].mean() / last["weight"].mean()
    words = "as" if share >= WEAK / len(last["stranger"]) else "unlike"
    return (
        f"In layer {N_LAYERS} the {WEAK} components of least variance have "
        f"{number(ratio, 1)} times the mean weight and {percent(share)} of the "
        f"stranger's activation, {words} in the paper's figure, where the stranger is "
        "large there."
    )


def _ends(results: Results) -> str:
    """Return where the controlled training ended."""
    line = results.line("lambda", "controlled λ")
    if not line.records:
        return "No rows yet."
    record = line.records[0]
    loss, control = (points(record, f"epoch_{m}")[1] for m in ("loss", "control"))
    tau = float(line.methods[0].get_params(deep=False)["threshold"])
    words = (
        f"At the end of the controlled training the mean loss is {number(loss[-1], 2)} "
        f"and τ {number(tau, 2)}; λ is on for {percent(control[-1])} of the batches. "
    )
    if loss[-1] > tau:
        words += (
            "The mean does not stay near τ as in the paper's figure: members whose "
            "loss jumps do not all come back, and the steps in λ are such members. The "
            "epochs kept are earlier ones, with a validation loss under τ; on average "
            f"epoch {number(record['kept_epoch'], 0)}."
        )
    return words


def _spent(results: Results) -> Html:
    words = []
    for study, name in (("still-water-filling", "left"), ("water-filling", "right")):
        record = results.record(study, "DARE")
        if record:
            share = record["spent"] / record["budget"]
            words.append(f"{name} {percent(share)}")
    return page.note(f"Share of the budget spent: {', '.join(words) or 'no rows yet'}.")
