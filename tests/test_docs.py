"""The examples of the pages in docs/ run as printed, and say what they say."""

import numpy as np
import pytest
from benchmarks.reasons_table import reasons_table

from tests.pages import DOCS, examples, run

CHECKED = {
    *("tables.md", "monitor.md"),  # here
    *("trusted.md", "networks.md"),  # test_docs_networks.py
    "water_filling.md",  # test_water_filling_page.py
    "scale.md",  # test_docs_scale.py
}
"""Pages whose examples are run by a test that also checks what they say."""

OTHERS = sorted({page.name for page in DOCS.glob("*.md")} - CHECKED)


@pytest.mark.parametrize("page", [page for page in OTHERS if examples(page)])
def test_the_examples_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = run(page)
    if "flags" in names:
        assert names["flags"].tolist() == [False, True]
    if page == "groups.md":
        trained = np.delete(names["patient"], names["model"].held_out_rows_)
        assert not names["held_out"] & set(trained)


def test_every_checked_page_has_examples():
    assert all(examples(page) for page in CHECKED)


def test_the_table_of_reasons_is_made_from_its_rows():
    text = (DOCS / "tables.md").read_text()
    written = text.partition("<!-- reasons -->")[2].partition("<!-- end -->")[0]
    assert written.strip() == reasons_table().strip()


def test_tables_in_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = run("tables.md")
    model, new = names["model"], names["new"]
    assert model.is_ood(new).tolist() == [True, False, False]
    again = names["antireg"].load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(new), names["mean"])
    odd = names["odd"]
    assert model.reasons(odd) == [["area -999: below all 300 seen (20 … 199)"], []]
    flags = names["antireg"].ask(names["pipeline"], odd, "is_ood")
    assert flags.tolist() == [True, False]
    assert model.encoder_.get_feature_names_out()[:2].tolist() == [
        "area",
        "heating = gas",
    ]


def test_a_monitor_in_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = run("monitor.md")
    assert names["before"] < 100
    alarm = names["monitor"].alarm
    assert 100 < alarm.row <= 150
    assert alarm.columns[0] == "x1"
    assert names["p_values"].shape == (100,)
