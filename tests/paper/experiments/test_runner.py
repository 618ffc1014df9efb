"""Runs that are killed, repeated or doubled end with the same rows."""

import os
import signal
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from antireg.methods import DARE, DeepEnsemble, MaxWEnt
from antireg.paper.data.toys import one_dimensional
from antireg.paper.experiments import doubted
from antireg.paper.experiments.plan import Cell
from antireg.paper.experiments.rows import Book
from antireg.paper.experiments.runner import do, fitted, run_all, versions, work
from antireg.paper.experiments.study import Contender, Job
from tests.killed import kill_when
from tests.paper.experiments.small import DARE_LINE, DE, NLL, SMALL, small_cells
from tests.systems import KILLS


def values(folder):
    book = Book(folder / "rows")
    return {key: record.values for key, record in book.records("small").items()}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    assert work(small_cells(), folder) == []
    return folder


def test_all_lines_and_seeds_are_there(finished):
    found = values(finished)
    assert {key.method for key in found} == {"deep_ensemble", "dare", "mod"}
    assert {key.seed for key in found} == {0, 1}


def test_nothing_finished_is_done_again(finished):
    path = finished / "rows" / "small.csv"
    before = path.read_bytes()
    assert work(small_cells(), finished) == []
    assert path.read_bytes() == before


def test_workers_side_by_side_give_the_same_numbers(finished, tmp_path):
    seen = []
    assert run_all(small_cells(), tmp_path, 2, lambda book: seen.append(1)) == []
    assert values(tmp_path) == values(finished)
    assert seen


def test_rows_that_cannot_be_written_are_told_by_every_worker_in_one_sentence(tmp_path):
    (tmp_path / "rows").write_text("a file")
    (trouble,) = run_all(small_cells(), tmp_path, 2)
    assert "rows" in trouble
    assert "died" not in trouble


@KILLS
def test_a_killed_run_goes_on_and_ends_with_the_same_numbers(finished, tmp_path):
    rows = tmp_path / "rows" / "small.csv"
    for n_lines in (2, 60):

        def written(n_lines=n_lines):
            return rows.exists() and rows.read_text().count("\n") >= n_lines

        kill_when(written, partial(work, small_cells(), tmp_path))
    assert work(small_cells(), tmp_path) == []
    assert values(tmp_path) == values(finished)


def test_data_that_are_missing_stop_their_recipe_alone(tmp_path):
    def missing(seed):
        raise FileNotFoundError("citycam/weather.npz is not here. Name a folder.")

    gone = replace(SMALL, name="gone", load=missing)
    troubles = work([Cell(gone, DE, 0), Cell(SMALL, DE, 0)], tmp_path)
    assert troubles == ["gone: citycam/weather.npz is not here. Name a folder."]
    assert len(values(tmp_path)) == 1


def test_a_training_that_diverges_is_a_result(tmp_path):
    wild = replace(SMALL, settings={**SMALL.settings, "lr": 1e20})
    found, _ = do(Job(wild, DeepEnsemble(), "squared_error", 0))
    assert [(v.metric, v.value) for v in found] == [("diverged", 1.0)]


def test_an_error_of_our_own_is_not_swallowed(tmp_path):
    broken = replace(SMALL, measure=None)
    with pytest.raises(TypeError):
        work([Cell(broken, Contender("DE", DeepEnsemble(), NLL), 0)], tmp_path)


def dies_once(seed, folder):
    """Kill the worker that loads these rows first."""
    try:
        (folder / "died").touch(exist_ok=False)
        os.kill(os.getpid(), signal.SIGKILL)
    except FileExistsError:
        pass
    return one_dimensional(seed)


@KILLS
def test_others_do_the_work_of_a_worker_that_dies(finished, tmp_path):
    mortal = replace(SMALL, load=partial(dies_once, folder=tmp_path))
    wanted = [cell._replace(recipe=mortal) for cell in small_cells()]
    (trouble,) = run_all(wanted, tmp_path, 2)
    assert trouble.startswith("1 of 2 workers died; what they finished is kept.")
    assert values(tmp_path) == values(finished)


def test_an_error_of_our_own_in_a_worker_is_not_swallowed(tmp_path):
    broken = replace(SMALL, measure=None)
    with pytest.raises(TypeError):
        run_all([Cell(broken, DE, seed) for seed in (0, 1)], tmp_path, 2)


def test_versions_name_what_the_numbers_depend_on():
    for name in ("antireg", "torch", "numpy", "python"):
        assert f"{name} " in versions()


WHOLE = replace(
    SMALL,
    name="whole",
    settings={**SMALL.settings, "doubt": "rehearsed", "epochs": 4},
    measure=doubted.regression,
    whole=True,
)


def no_validation(seed):
    split = one_dimensional(seed)
    return replace(split, validation=split.validation[:0])


@pytest.mark.parametrize("load", [one_dimensional, no_validation])
def test_fits_of_a_seed_share_what_they_train_alike(tmp_path, load):
    recipe = replace(WHOLE, load=load)
    wanted = [Cell(recipe, line, 0) for line in (DE, DARE_LINE)]
    assert work(wanted, tmp_path) == []
    apart = work([wanted[1]], tmp_path / "alone")
    assert apart == []
    shared, alone = (
        Book(folder / "rows").records("whole")
        for folder in (tmp_path, tmp_path / "alone")
    )
    key = Job(recipe, DARE_LINE.method, NLL, 0).key
    assert len(shared) == 2
    assert shared[key].values == alone[key].values
    folder = tmp_path / "rows" / ".trainings" / f"whole-{NLL}-0"
    kept = {path.name for path in folder.glob("*.safetensors")}
    assert kept == {"training-1.safetensors", "training-2.safetensors"}


def test_groups_reach_the_fit():
    split = one_dimensional(0)
    groups = np.arange(len(split.train)) % 10
    split = replace(split, validation=split.validation[:0], groups=groups)
    job = Job(replace(SMALL, settings=SMALL.settings), DeepEnsemble(), NLL, 0)
    held_out = fitted(job, split).held_out_rows_
    assert set(groups[held_out]) == {groups[held_out[0]]}
    assert len(held_out) == (groups == groups[held_out[0]]).sum()


def test_methods_that_continue_a_training_do_not_meet(tmp_path):
    recipe = replace(SMALL, name="continued", whole=True)
    lines = [
        Contender("noise", MaxWEnt(draws=2), NLL),
        Contender("growth", DARE(start="reference"), NLL),
    ]
    assert work([Cell(recipe, line, 0) for line in lines], tmp_path) == []
    assert len(Book(tmp_path / "rows").records("continued")) == 2
