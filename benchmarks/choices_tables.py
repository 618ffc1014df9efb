"""Print the tables of docs/choices.md from the rows under results/choices.

python benchmarks/choices_tables.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

CHOICES = Path(__file__).parent.parent / "results" / "choices"
NAMES = {
    "deep_ensemble (gaussian_nll)": "DE",
    "deep_ensemble (cross_entropy)": "DE (NLL)",
    "deep_ensemble (squared_error)": "DE (MSE)",
    "dare": "DARE",
}
JUDGEMENT = ("power", "protein", "energy", "wine", "diabetes")
"""Tables that were not looked at before `benchmarks/calibration.py` was settled."""
SCALINGS = ("range", "standard", "none")


def line(*cells: object) -> None:
    """Print one row of a table."""
    print("|", " | ".join(map(str, cells)), "|")


def head(*cells: str) -> None:
    """Print the first two rows of a table."""
    print()
    line(*cells)
    line(*["---"] * len(cells))


def both(rows: pd.DataFrame, metric: str, methods: tuple[str, ...], digits: int) -> str:
    """Return the mean over seeds for each method, side by side."""
    means = rows[rows.metric == metric].groupby("method").value.mean()
    return ", ".join(f"{means[method]:.{digits}f}" for method in methods)


def scaling_tables() -> None:
    """Compare scalings, one table for regression and one for classes."""
    found = pd.read_csv(CHOICES / "scaling.csv")
    found["method"] = found.method.map(NAMES)
    # Each regression task has one set of rows outside, whatever its name.
    regression = found.groupby("task").metric.transform(lambda m: (m == "nll in").any())
    parts = found.metric.str.split(" ", n=1, expand=True)
    outside = regression & parts[1].notna() & (parts[1] != "in")
    found.loc[outside, "metric"] = parts[0] + " out"
    pair, three = ("DE", "DARE"), ("DE (NLL)", "DE (MSE)", "DARE")
    columns = ("nll in", "nll out", "ece out", "auroc out")
    head("task", "seeds", "scaling", *(f"{c}: DE, DARE" for c in columns))
    for task, rows in found[regression].groupby("task", sort=False):
        for scaling in SCALINGS:
            some = rows[rows.scaling == scaling]
            values = (both(some, metric, pair, 2) for metric in columns)
            line(task, some.seed.nunique(), scaling, *values)
    wins(found[regression], columns)
    for task, rows in found[~regression].groupby("task", sort=False):
        columns = [m for m in rows.metric.unique() if m.startswith(("acc", "auroc"))]
        head(f"{task}: {', '.join(three)}", "seeds", *columns)
        for scaling in SCALINGS:
            some = rows[rows.scaling == scaling]
            values = (both(some, metric, three, 3) for metric in columns)
            line(scaling, some.seed.nunique(), *values)


def wins(rows: pd.DataFrame, columns: tuple[str, ...]) -> None:
    """Print in how many runs DARE is ahead of the deep ensemble."""
    head("DARE ahead in", *columns)
    keys = ["scaling", "task", "seed", "metric"]
    wide = rows.pivot_table(index=keys, columns="method", values="value")
    ahead = wide.DARE - wide.DE
    higher = wide.index.get_level_values("metric").str.startswith("auroc")
    ahead[higher] *= -1
    for scaling in SCALINGS:
        runs = [ahead[scaling].xs(metric, level="metric") for metric in columns]
        line(scaling, *(f"{(run < 0).sum()} of {len(run)}" for run in runs))


def map_table() -> None:
    """Compare maps to probabilities, means over tasks and both methods."""
    found = pd.read_csv(CHOICES / "probability_maps.csv")
    means = found.pivot_table(index="map", columns="metric", values="value", sort=False)
    head("map", *means.columns)
    for name, values in means.iterrows():
        line(name, *(f"{value:.3f}" for value in values))


def batch_table() -> None:
    """Compare batch sizes, means over seeds."""
    found = pd.read_csv(CHOICES / "batch_size.csv")
    keys = ["task", "batch_size"]
    means = found.pivot_table(index=keys, columns="metric", values="value", sort=False)
    head(*keys, *means.columns)
    for (task, size), values in means.iterrows():
        line(task, size, *(f"{value:.2f}" for value in values))


def gain_table() -> None:
    """Show what a least gain of validation rows saves and costs."""
    found = pd.read_csv(CHOICES / "gain.csv")
    means = found.groupby(["table", "gain", "metric"]).value.mean()
    gains = found.gain.unique()
    shown = (("cpu_seconds", "seconds", 1), ("log_loss", "log loss", 3))
    shown += (("auroc", "AUROC of far rows", 3),)
    listed = ", ".join(f"{gain:g}" for gain in gains)
    head("table", *(f"{title}: {listed}" for _, title, _ in shown))
    for table in found.table.unique():
        cells = (
            ", ".join(f"{means[table, gain, metric]:.{digits}f}" for gain in gains)
            for metric, _, digits in shown
        )
        line(table, *cells)


def patience_table() -> None:
    """Compare how soon training ends, losses as multiples of those of all steps."""
    found = pd.read_csv(CHOICES / "patience.csv", keep_default_na=False)
    values = found.pivot_table(
        index=["table", "seed"], columns=["metric", "patience"], values="value"
    )
    shown = [name for name in found.patience.unique() if name != "none"]
    head("table", *(f"loss: {n}" for n in shown), *(f"steps: {n}" for n in shown))
    ratios = values["loss"][shown].div(values["loss"]["none"], axis=0)
    both = pd.concat([ratios, values["steps"][shown]], axis=1)
    for table in found.table.unique():
        line(table, *_shown(both.loc[table].mean(), len(shown)))
    line("mean", *_shown(both.groupby("table").mean().mean(), len(shown)))


def _shown(values: pd.Series, n_ratios: int) -> list[str]:
    ratios = [f"{value:.3f}" for value in values.iloc[:n_ratios]]
    return ratios + [f"{value:.0f}" for value in values.iloc[n_ratios:]]


def bins_table() -> None:
    """Compare columns in bins with whole ones."""
    ratios = {"rmse_in": "RMSE in", "rmse_out": "RMSE out"}
    plain = {"nll_in": "NLL in", "nll_out": "NLL out", "auroc": "AUROC"}
    _variants("bins", "bins, `lr`", ratios, plain, {"cpu_seconds": "seconds"})


def plain_table() -> None:
    """Compare ensembles in which some members see columns without their bins."""
    ratios = {
        "rmse_in": "RMSE in",
        "score90_in": "score in",
        "rmse_out": "RMSE out",
        "score90_out": "score out",
    }
    plain = {"nll_in": "NLL in", "nll_out": "NLL out", "coverage90_out": "covered out"}
    last = {"cpu_seconds": "seconds"}
    _variants("plain", "members without bins", ratios, plain, last)


def line_table() -> None:
    """Compare fallbacks, and rehearsals with fine regions of small tables."""
    ratios = {"rmse_out": "RMSE out", "score90_in": "score in"}
    plain = {"nll_in": "NLL in", "nll_out": "NLL out", "coverage90_out": "covered out"}
    last = {"score90_out": "score out", "cpu_seconds": "seconds"}
    _variants("line", "fallback", ratios, plain, last)


def intervals_table() -> None:
    """Compare how wide intervals of doubted rows are."""
    plain = {"coverage90_in": "covered in", "coverage90_out": "covered out"}
    ratios = {"score90_in": "score in", "score90_out": "score out"}
    _variants("intervals", "intervals of doubted rows", {}, plain, ratios)


def _variants(choice: str, title: str, *columns: dict[str, str]) -> None:
    """Show variants: ratios to the first (first and last columns), and means between.

    Ratios are geometric means over tasks, of means over seeds.
    """
    found = pd.read_csv(CHOICES / f"{choice}.csv")
    keys = ["variant", "task", "metric"]
    values = found.groupby(keys, sort=False).value.mean().unstack("metric")
    first, plain, last = columns
    head(title, *first.values(), *plain.values(), *last.values())
    base = values.loc[found.variant.iloc[0]]
    for variant in found.variant.unique():
        some = values.loc[variant]
        ratios = np.exp(np.log(some / base).mean())
        cells = [f"{ratios[name]:.2f}" for name in first]
        cells += [f"{some[name].mean():.3f}" for name in plain]
        line(variant, *cells, *(f"{ratios[name]:.2f}" for name in last))


def inside_table() -> None:
    """Show DARE on ordinary rows as a multiple of the deep ensemble."""
    found = pd.read_csv(CHOICES / "inside.csv", keep_default_na=False)
    keys = ["table", "rules", "method", "pooling", "metric"]
    found = found[found.rules.isin(["plain", "robust"])]
    values = found.set_index(keys).value
    shown = (("plain", "plain"), ("plain", "robust"), ("robust", "robust"))
    names = ("plain", "pulled in", "robust")
    head("table", *(f"{m}: {n}" for m in ("RMSE", "interval") for n in names))
    for table in found.table.unique():
        cells = []
        for metric in ("rmse", "interval_score"):
            base = values[table, "plain", "DeepEnsemble", "plain", metric]
            for rules, pooling in shown:
                value = values.get((table, rules, "DARE", pooling, metric))
                cells.append("" if value is None else f"{value / base:.2f}")
        line(table, *cells)


def splits_table() -> None:
    """Show the same for several splits, both methods with the robust rules."""
    found = pd.read_csv(CHOICES / "inside.csv", keep_default_na=False)
    some = found[(found.rules == "robust, both") & (found.pooling == "robust")]
    keys = ["table", "seed", "method"]
    for metric in ("rmse", "interval_score"):
        values = some[some.metric == metric].set_index(keys).value.unstack()
        ratios = (values.DARE / values.DeepEnsemble).unstack()
        head(f"{metric}: table", *(f"split {seed}" for seed in ratios), "mean")
        for table, row in ratios.iterrows():
            cells = ("" if pd.isna(value) else f"{value:.2f}" for value in row)
            line(table, *cells, f"{row.mean():.2f}")


def centre_table() -> None:
    """Compare DARE's own mean with that of its centre, beside the deep ensemble."""
    found = pd.read_csv(CHOICES / "inside.csv", keep_default_na=False)
    keys = ["table", "seed", "method", "pooling", "metric"]
    values = found[found.rules == "centre"].set_index(keys).value.sort_index()
    three = (("DeepEnsemble", "robust"), ("DARE", "robust"), ("DARE", "centre"))
    ratios, sums = ("rmse", "interval_score"), ("mixture_nll", "mixture_nll_out")
    names = ("RMSE", "interval", "nll", "nll out", "auroc out")
    head("table", "split", *names)
    for table, seed in values.index.droplevel([2, 3, 4]).unique():
        rows, cells = values[table, seed], []
        for metric in (*ratios, *sums, "auroc_std"):
            try:
                base, own, centred = (rows[*kind, metric] for kind in three)
            except KeyError:  # no rows outside
                cells.append("")
                continue
            pair = (own / base, centred / base)
            shown = pair if metric in ratios else (base, own, centred)
            cells.append(", ".join(f"{value:.2f}" for value in shown))
        line(table, seed, *cells)


def calibration_table() -> None:
    """Compare promises kept by all rows with those kept by held-out rows alone."""
    found = pd.read_csv(CHOICES / "calibration.csv")
    keys = ["rows", "table", "method", "seed"]
    wide = found.pivot_table(index=keys, columns="metric", values="value")
    for name in ("rate", "rate before"):
        wide[f"within {name}"] = (wide[name] - 0.05).abs() <= 0.05
    columns = [f"coverage {c}" for c in (0.5, 0.9, 0.99)]
    head("rows", "table", "fits", "rate within 5 points", "mean rate", *columns)
    for (rows, table), some in wide.groupby(["rows", "table"]):
        calibration_line(rows, table, some, columns)
    judged = wide.index.get_level_values("table").isin(JUDGEMENT)
    for rows in wide.index.unique("rows"):
        for name, chosen in (("chosen on", ~judged), ("judged on", judged)):
            for method, some in wide[chosen].loc[[rows]].groupby("method"):
                calibration_line(rows, f"{name}: {method}", some, columns)


def calibration_line(
    rows: int, name: str, some: pd.DataFrame, columns: list[str]
) -> None:
    """Print means before and after, with nothing where there are no intervals."""
    pairs = [
        ""
        if some[name].isna().all()
        else f"{some[f'{name} before'].mean():.1%}, {some[name].mean():.1%}"
        for name in ("rate", *columns)
    ]
    within = f"{some['within rate before'].sum()}, {some['within rate'].sum()}"
    line(rows, name, len(some), within, *pairs)


def filling_table(choice: str) -> None:
    """Compare what may be drawn: NLL in and out, and AUROC, by task."""
    found = pd.read_csv(CHOICES / f"{choice}.csv")
    metrics = ["in nll", "out nll", "out auroc_e"]
    tasks = [task for task in found.task.unique() if task != "digits"]
    wide = found.pivot_table(
        index="variant", columns=["task", "metric"], values="value", sort=False
    )
    head("drawn", *(f"{task}: in, out; AUROC" for task in tasks))
    for variant, values in wide.iterrows():
        cells = []
        for task in tasks:
            inside, out, auroc = (values.get((task, metric)) for metric in metrics)
            known = inside is not None and not pd.isna(inside)
            cells.append(f"{inside:.2f}, {out:.2f}; {auroc:.2f}" if known else "")
        line(variant, *cells)


def descriptions_table() -> None:
    """Compare descriptions of pictures: accuracy and AUROC by task."""
    found = pd.read_csv(CHOICES / "descriptions.csv")
    found["task"] = found.task + " without " + found.left_out
    kinds = found[found.metric != "accuracy"]
    by_task = kinds.groupby(["description", "task"]).value.mean()
    overall = by_task.groupby("description").mean()
    is_changed = ~found.metric.isin(["accuracy", "new classes"])
    found.loc[is_changed, "metric"] = "changed pictures"
    means = found.groupby(["description", "task", "metric"]).value.mean()
    tasks, metrics = found.task.unique(), found.metric.unique()
    named = (f"{task}: {', '.join(metrics)}" for task in tasks)
    head("description", *named, "mean AUROC")
    for name in found.description.unique():
        cells = (", ".join(f"{means[name, t, m]:.3f}" for m in metrics) for t in tasks)
        line(name, *cells, f"{overall[name]:.4f}")


if __name__ == "__main__":
    calibration_table()
    scaling_tables()
    map_table()
    patience_table()
    gain_table()
    bins_table()
    plain_table()
    line_table()
    intervals_table()
    batch_table()
    inside_table()
    splits_table()
    centre_table()
    filling_table("water_filling")
    filling_table("rewards")
    descriptions_table()
