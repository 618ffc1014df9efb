import pytest

from antireg.paper.experiments.rows import Book, Value
from antireg.paper.report.entries import NLL, Entry
from antireg.paper.report.results import Results
from antireg.paper.report.tables import OUTSIDE
from antireg.paper.report.verdicts import (
    _beaten,
    guesses,
    losses,
    swaps,
    verdicts,
    won,
)
from tests.paper.report.made_rows import made_book


def rewritten(tmp_path, study, change, seeds=2):
    """Made-up rows of a study, with the metrics that `change(key)` returns replaced."""
    made = made_book(tmp_path / "made", study, seeds=seeds)
    book = Book(tmp_path / "rows")
    for recipe in ("citycam-weather", "fashion-mnist"):
        for key, record in made.records(recipe).items():
            values = {**record.values}
            for metric, value in change(key).items():
                values[metric, ""] = value
            rows = [Value(metric, v, at) for (metric, at), v in values.items()]
            book.add(key, rows, 1.0, "v")
    return Results(book)


def weather(key):
    """DARE is best in NLL, far from the paper, and worse than a constant."""
    ours = key.method == "dare"
    return {
        "after_14h_nll": 1.0 if ours else 2.25,
        "after_14h_nll_cut": 1.0 if ours else 2.25,
        "after_14h_ece": 0.07 if ours else 0.12,
        "after_14h_mae": 3.0 if ours else 1.5,
        "after_14h_constant_mae": 2.0,
        "test_nll": 1.3 if ours else 1.2,
    }


def test_verdicts_are_worked_out_for_each_column_of_the_paper(tmp_path):
    results = rewritten(tmp_path, "citycam-weather", weather)
    found = {(v.part.title, v.column.title): v.entries for v in verdicts(results)}
    assert len(found) == 18 - 4  # inside and outside NLL have the same names
    assert [v.clipped for v in verdicts(results)].count(False) == 18
    assert [v.column.metric for v in verdicts(results) if v.clipped] == ["test_nll"]
    first = next(v for v in verdicts(results) if v.part.study == "citycam-weather")
    assert first.entries["DE (NLL)"].agrees
    assert first.entries["DARE"].agrees is False
    assert first.entries["DARE"].difference == pytest.approx((1 - 2.33) / 0.13)
    assert found["camera shift", "NLL"]["DARE"].agrees is None


def test_losses_name_the_number_the_best_and_whose_it_is(tmp_path):
    found = dict(losses(rewritten(tmp_path, "citycam-weather", weather)))
    assert "Table 1, NLL" not in found
    assert found["Table 2, NLL"] == (
        "weather shift 1.30, DE (NLL) and AnchorNet and MOD and NegCorr and RDE 1.20"
    )
    assert found["Table 1, MAE"].startswith("weather shift 3.00, DE (NLL) and ")
    assert "within its sd" not in found["Table 1, MAE"]


def test_a_loss_smaller_than_the_sd_is_said_to_be(tmp_path):
    def noisy(key):
        return {"after_14h_mae": 1.0 + key.seed if key.method == "dare" else 1.4}

    found = dict(losses(rewritten(tmp_path, "citycam-weather", noisy)))
    assert found["Table 1, MAE"].endswith("RDE 1.40 (within its sd)")


def test_only_columns_of_all_methods_are_won():
    best, worse, none = Entry(NLL, [1.0]), Entry(NLL, [2.0]), Entry(NLL, [])
    diverged = Entry(NLL, [], diverged=5)
    assert won([{"DARE": best, "MOD": worse}, {"DARE": worse, "MOD": best}]) == (1, 2)
    assert won([{"DARE": best, "MOD": none}, {"DARE": none, "MOD": best}]) == (0, 0)
    assert won([{"DARE": best, "MOD": diverged}]) == (1, 1)
    assert won([{"DARE": diverged, "MOD": best}]) == (0, 1)


def test_errors_worse_than_a_constants_are_called_worthless(tmp_path):
    words = guesses(rewritten(tmp_path, "citycam-weather", weather))[2].words
    assert words.replace("\N{NO-BREAK SPACE}", " ") == (
        "weather shift: DARE's error is 3.00 vehicles, 150 % of the constant's 2.00: "
        "no better than the constant, so its predictions are worthless there. It is "
        "100 % more than DE (NLL)'s 1.50."
    )


def test_guesses_without_rows_are_missing(empty):
    assert [g.words for g in guesses(empty)] == [
        "camera shift: missing.",
        "bigbus shift: missing.",
        "weather shift: missing.",
    ]


def test_swaps_are_distances_in_the_papers_sds(tmp_path):
    def swapped(key):
        # The paper's DE (NLL) is 89.7 (0.9) and 62.7 (6.2).
        return {"cifar10_auroc": 0.565, "mnist_auroc": 0.888}

    results = rewritten(tmp_path, "fashion-mnist", swapped)
    first = swaps(results)[0]
    assert first.contender == "DE (NLL)"
    assert first.printed == pytest.approx((33.2 / 0.9 + 26.1 / 6.2) / 2)
    assert first.swapped == pytest.approx(1.0)  # 6.2 of 6.2, 0.9 of 0.9
    assert first.points == pytest.approx(((33.2 + 26.1) / 2, (6.2 + 0.9) / 2))
    assert len(swaps(results)) == 7


def test_without_rows_there_is_nothing_to_read_or_lose(empty):
    assert swaps(empty) == []
    assert list(losses(empty)) == []
    assert all(e.agrees is None for v in verdicts(empty) for e in v.entries.values())


def test_of_many_that_read_the_same_the_first_of_the_table_is_compared_with():
    # All read 1.00, as far as 1.001 or 0.999 of DARE's 1.50 ± 0.5: within its sd only
    # for the first, so that a set's order, another in each process, would be seen.
    found = {f"method {k}": Entry(NLL, [1.001 if k == 0 else 0.999]) for k in range(30)}
    found["DARE"] = Entry(NLL, [1.0, 1.5, 2.0])
    assert found["DARE"].sd == pytest.approx(0.5)
    assert _beaten(OUTSIDE.parts[0], found).endswith(" (within its sd)")
