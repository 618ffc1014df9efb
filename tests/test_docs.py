"""The examples of the pages in docs/ run as printed, and say what they say."""

import re
from pathlib import Path

import numpy as np
from benchmarks.reasons_table import reasons_table

DOCS = Path(__file__).parent.parent / "docs"


def run(page, folder, monkeypatch):
    """Run the Python of a page in one go; return the names it made."""
    monkeypatch.chdir(folder)
    code = "\n".join(
        re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.S)
    )
    names = {}
    exec(compile(code, page, "exec"), names)
    return names


def test_the_table_of_reasons_is_made_from_its_rows():
    text = (DOCS / "tables.md").read_text()
    written = text.partition("<!-- reasons -->")[2].partition("<!-- end -->")[0]
    assert written.strip() == reasons_table().strip()


def test_tables_in_python(tmp_path, monkeypatch):
    names = run("tables.md", tmp_path, monkeypatch)
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
    names = run("monitor.md", tmp_path, monkeypatch)
    assert names["before"] < 100
    alarm = names["monitor"].alarm
    assert 100 < alarm.row <= 150
    assert alarm.columns[0] == "x1"
    assert names["p_values"].shape == (100,)
