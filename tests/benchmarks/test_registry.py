"""One file adds a method, and one a task: those that the page shows."""

import re
from pathlib import Path

import pytest
from benchmarks.leaderboard import methods as methods_folder
from benchmarks.leaderboard import page as page_module
from benchmarks.leaderboard import tasks as tasks_folder
from benchmarks.leaderboard.registry import chosen, methods, tasks
from benchmarks.leaderboard.running import fitted
from benchmarks.leaderboard.task import judged

EXAMPLES = re.findall(
    r"```python\n(.*?)```",
    Path(page_module.__file__).with_name("page.md").read_text(),
    re.DOTALL,
)


def add(monkeypatch, folder, path, text):
    """Let a folder of the leaderboard have one more file."""
    path.mkdir(exist_ok=True)
    monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(path)])
    name = f"toy_{path.name}_{len(text)}"
    (path / f"{name}.py").write_text(text.replace("{{", "{").replace("}}", "}"))


def test_the_examples_of_the_page_are_a_method_and_a_task(monkeypatch, tmp_path):
    method, task = EXAMPLES
    add(monkeypatch, methods_folder, tmp_path / "methods", method)
    add(monkeypatch, tasks_folder, tmp_path / "tasks", task)
    found = dict(fitted(methods()["nearest"], judged(tasks()["iris"], 0), 0))
    assert found["auroc"] > 0.8
    assert found["rmse_in"] < 1


def test_a_name_that_is_taken_is_refused(monkeypatch, tmp_path):
    text = "from benchmarks.leaderboard.methods.constant import METHODS\n"
    add(monkeypatch, methods_folder, tmp_path / "more", text)
    with pytest.raises(ValueError, match=r"must have each name once, got \['constant'"):
        methods()


def test_there_are_enough_of_both():
    assert len(tasks()) >= 20
    assert len(methods()) >= 14
    assert [m.cost for m in methods().values()] == sorted(
        m.cost for m in methods().values()
    )


def test_development_tasks_are_those_that_were_looked_at():
    marked = {name for name, task in tasks().items() if task.development}
    assert marked == {
        *("gap-energy", "gap-concrete", "gap-kin8nm", "table-bike", "table-wage"),
        "table-college",
        *("citycam-weather", "citycam-bigbus"),
        *("citycam-hours-weather", "citycam-hours-bigbus"),
        *("cifar10-svhn", "cifar10-cifar100"),
    }


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="--methods must be among a, b, got 'c'"):
        chosen({"a": 1, "b": 2}, ["c"], "--methods")
