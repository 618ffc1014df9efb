"""The demo trains and measures as the experiments do."""

from dataclasses import replace

import numpy as np
import pytest

from antireg import EnsembleClassifier, EnsembleRegressor
from antireg.paper.demo.fits import (
    OLDEST,
    UNSEEN,
    digits,
    patients,
    run,
    run_all,
    trainings,
)
from antireg.paper.experiments.recipes import ONE_DIMENSIONAL, TWO_MOONS
from antireg.paper.experiments.runner import do
from antireg.paper.experiments.study import Job
from tests.paper.demo.small import METHODS, PROBLEMS, SEED, small_cells


def test_the_four_methods_are_trained_on_every_problem():
    cells = trainings(SEED)
    assert [(cell.recipe.name, cell.contender.name) for cell in cells] == [
        (problem, method) for problem in PROBLEMS for method in METHODS
    ]
    assert {cell.seed for cell in cells} == {SEED}


def test_small_problems_are_the_papers_and_the_others_have_default_settings():
    found = {cell.recipe.name: cell.recipe for cell in trainings(0)[::4]}
    assert found["two-moons"] is TWO_MOONS
    assert found["one-dimensional"] is ONE_DIMENSIONAL
    assert found["digits"].estimator is EnsembleClassifier
    assert found["diabetes"].estimator is EnsembleRegressor
    dare = {c.recipe.name: c.contender.method for c in trainings(0)[2::4]}
    assert [dare[name].threshold for name in PROBLEMS] == [0.001, 0.1, "auto", "auto"]


def test_only_the_librarys_default_doubts():
    for cell in trainings(0):
        if cell.contender.name == "doubt":
            assert cell.recipe.settings == {}
            model = cell.recipe.estimator()
            assert isinstance(model._chosen_method(), type(cell.contender.method))
            assert cell.contender.loss == model.loss == "auto"
        else:
            assert cell.recipe.settings["doubt"] is None
    whole = {cell.recipe.name for cell in trainings(0) if cell.recipe.settings == {}}
    assert whole == set(PROBLEMS)


def test_unseen_digits_are_in_no_training_row():
    split = digits(0)
    assert not np.isin(split.train.y, UNSEEN).any()
    assert not np.isin(split.test.y, UNSEEN).any()
    assert np.isin(split.ood["unseen"].y, UNSEEN).all()


def test_older_patients_are_in_no_training_row():
    split = patients(0)
    parts = split.train, split.test, split.ood["older"]
    assert [len(part) for part in parts] == [209, 90, 143]
    young, also_young, old = (part.x[:, 0] for part in parts)
    assert young.max() <= OLDEST
    assert also_young.max() <= OLDEST < old.min()


@pytest.mark.parametrize("problem", ["one-dimensional", "digits", "diabetes"])
def test_numbers_are_those_of_the_experiments(outcomes, problem):
    cell = small_cells(problem)[0]
    (shown,) = (
        o for o in outcomes if (o.problem, o.method) == (problem, cell.contender.name)
    )
    method, loss = cell.contender.method, cell.contender.loss
    values, _ = do(Job(cell.recipe, method, loss, SEED))
    assert shown.record.values == {(v.metric, v.at): v.value for v in values}


def test_training_side_by_side_gives_the_numbers_of_training_alone(outcomes):
    alone = [o for o in outcomes if o.problem == "one-dimensional"]
    together = dict(run_all(small_cells("one-dimensional")))
    assert sorted(together) == [0, 1, 2, 3]
    for number, outcome in enumerate(alone):
        assert together[number].method == outcome.method == METHODS[number]
        assert together[number].record.values == outcome.record.values
        assert together[number].advice == outcome.advice


def test_another_seed_gives_other_numbers(outcomes):
    cell = small_cells("one-dimensional")[0]
    other = run(cell._replace(seed=SEED + 1))
    same = next(o for o in outcomes if o.problem == "one-dimensional")
    assert other.record["test_rmse"] != same.record["test_rmse"]


def test_what_training_says_is_kept_once():
    cell = small_cells("digits")[2]
    outcome = run(cell)
    assert len(outcome.advice) == len(set(outcome.advice)) > 0
    silent = replace(cell.contender, method=small_cells("digits")[0].contender.method)
    assert len(run(cell._replace(contender=silent)).advice) < len(outcome.advice)
