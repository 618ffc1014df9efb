from dataclasses import replace
from functools import partial

import pytest

from antireg import DeepEnsemble, EnsembleRegressor, MaxWEnt, WaterFilling
from antireg.paper.data.toys import one_dimensional
from antireg.paper.experiments import filling_recipes, recipes
from antireg.paper.experiments.filling_recipes import GROUPS
from antireg.paper.experiments.runner import do
from antireg.paper.experiments.study import PLAIN, Job, Recipe


def test_every_group_is_known_by_its_name_and_every_fit_is_a_whole_one() -> None:
    for name, studies in GROUPS.items():
        assert recipes.named([name]) == list(studies)
        assert all(study.recipe.whole for study in studies)


@pytest.mark.parametrize(
    ("name", "paper"),
    [
        *(
            (f"filling-{task}", f"citycam-{task}")
            for task in ("weather", "bigbus", "same-cameras", "cameras")
        ),
        *((f"filling-{name}", name) for name in ("cifar10", "fashion-mnist")),
        ("filling-uci-energy", "uci-gap-energy"),
    ],
)
def test_settings_are_those_of_the_papers_recipes(name: str, paper: str) -> None:
    ours, theirs = recipes.named([name, paper])
    assert ours.recipe.settings == theirs.recipe.settings
    for one in (ours, theirs):
        assert one.recipe.load.__class__ in (partial, type(recipes.named))


def test_under_doubt_draws_have_the_settings_of_deep_ensembles_with_doubt() -> None:
    tasks = []
    for study in GROUPS["doubt-filling"]:
        task = study.name.removeprefix("doubt-filling-")
        (theirs,) = recipes.named([f"doubt-{task}"])
        assert study.recipe.settings == theirs.recipe.settings
        assert study.recipe.load.func is theirs.recipe.load.func
        assert study.recipe.load.args == theirs.recipe.load.args == (task,)
        (contender,) = study.contenders
        assert contender.method == WaterFilling()
        assert contender.loss == theirs.contenders[0].loss
        tasks.append(task)
    assert tasks == ["weather", "bigbus", "same-cameras"]


def test_with_doubt_both_kinds_of_numbers_are_yielded(tmp_path) -> None:
    (study, *_) = GROUPS["doubt-filling"]
    small = {"n_members": 2, "hidden": (8,), "epochs": 20}
    settings = {**study.recipe.settings, **small}
    recipe = replace(study.recipe, load=one_dimensional, settings=settings)
    values, _ = do(Job(recipe, WaterFilling(draws=2), "gaussian_nll", 0), tmp_path)
    found = {value.metric for value in values}
    assert {"test_nll", "plain_test_nll", "trained_seconds"} <= found


def test_a_deep_ensemble_is_trained_once_and_its_time_counts(tmp_path) -> None:
    settings = {**PLAIN, "n_members": 2, "hidden": (8,), "epochs": 20}
    recipe = Recipe(
        "small",
        one_dimensional,
        EnsembleRegressor,
        settings,
        filling_recipes.regression,
        1,
        whole=True,
    )
    found = {}
    for method in (DeepEnsemble(), WaterFilling(), MaxWEnt()):
        values, _ = do(Job(recipe, method, "gaussian_nll", 0), tmp_path)
        found[type(method)] = {value.metric: value.value for value in values}
    (folder,) = tmp_path.iterdir()
    assert len([*folder.glob("training-*")]) == 1
    times = [found[kind]["trained_seconds"] for kind in found]
    assert times[0] < times[1]
    assert times[0] < times[2]
    assert all("test_nll" in values for values in found.values())
