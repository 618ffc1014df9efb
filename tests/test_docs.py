"""The examples of the pages in docs/ run as printed, and say what they say."""

import re
from pathlib import Path

import numpy as np

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


def test_tables_in_python(tmp_path, monkeypatch):
    names = run("tables.md", tmp_path, monkeypatch)
    model, new = names["model"], names["new"]
    assert model.is_ood(new).tolist() == [True, False, False]
    again = names["antireg"].load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(new), names["mean"])
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
