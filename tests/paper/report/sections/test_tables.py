from antireg.paper.report.figures.figure import Figure
from antireg.paper.report.results import Results
from antireg.paper.report.sections.tables import (
    clipped,
    compared,
    gaps,
    seeds,
    settings,
    won_by_column,
)
from antireg.paper.report.tables import DETECTION, GAPS, INSIDE, OUTSIDE
from tests.paper.report.made_rows import made_book


def test_seeds_of_each_cell_are_counted(full, empty, tmp_path):
    assert seeds(full, OUTSIDE) == "Seeds: 5 in every cell."
    assert "camera shift none yet; bigbus shift none yet" in seeds(empty, OUTSIDE)
    some = Results(made_book(tmp_path, "cifar10", seeds=2))
    assert seeds(some, DETECTION) == (
        "Seeds: CIFAR-10 DE (NLL) 2, AnchorNet 2, MOD 2, NegCorr 2, RDE 2, DE (MSE) 2, "
        "DARE 2; Fashion-MNIST none yet. Missing ones are left out of the means."
    )


def test_settings_are_those_the_search_chose(full, empty):
    first = settings(full, OUTSIDE)[0]
    assert first.startswith("camera shift: AnchorNet: ")
    assert "DARE: delta 0.25, threshold " in first
    assert "DE (NLL)" not in first
    assert settings(empty, OUTSIDE) == []


def test_clipping_is_explained_where_it_matters(full):
    assert clipped(full, OUTSIDE).endswith("every number is the same.")


def test_wins_are_counted_by_column(full, empty):
    assert won_by_column(empty, GAPS).endswith("inside MAE 0 of 0, gap MAE 0 of 0.")
    assert "gap NLL" in won_by_column(full, GAPS)
    assert f"of {len(GAPS.parts)}" in won_by_column(full, GAPS)


def test_every_table_says_what_it_rests_on(full, empty):
    for results in (full, empty):
        tables = (OUTSIDE, INSIDE, DETECTION)
        shown = [compared(results, table, Figure()) for table in tables]
        for html in shown:
            assert "validation rows of the first seed only" in html
            assert "Seeds: " in html
        assert "MAE" in shown[0]
        assert "searched" not in gaps(results)
