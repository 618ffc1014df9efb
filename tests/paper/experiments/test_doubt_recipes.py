from functools import partial

import numpy as np

from antireg.paper.data.toys import one_dimensional
from antireg.paper.experiments import recipes
from antireg.paper.experiments.doubt_recipes import GROUPS, without_validation


def test_every_group_is_known_by_its_name_and_every_fit_is_a_whole_one():
    for name, studies in GROUPS.items():
        assert recipes.named([name]) == list(studies)
        for study in studies:
            assert study.recipe.whole
            assert study.recipe.settings["doubt"] == "rehearsed"
            assert [c.name for c in study.contenders] == [
                "doubt on DE",
                "doubt on DARE",
            ]


def test_raw_is_the_papers_recipe_with_doubt_on_top():
    for task in ("weather", "cameras", "bigbus", "same-cameras"):
        paper, raw = recipes.named([f"citycam-{task}", f"doubt-raw-{task}"])
        without = {**raw.recipe.settings, "doubt": None}
        assert without == paper.recipe.settings
    for task in ("cifar10", "fashion-mnist"):
        paper, raw = recipes.named([task, f"doubt-raw-{task}"])
        assert {**raw.recipe.settings, "doubt": None} == paper.recipe.settings


def test_the_papers_recipes_are_without_doubt():
    for study in recipes.named(["all"]):
        if not study.name.startswith("doubt"):
            assert study.recipe.settings["doubt"] is None


def test_rows_of_both_parts_are_trained_on():
    before = one_dimensional(0)
    split = without_validation(partial(one_dimensional), 0)
    assert len(split.validation) == 0
    both = np.concatenate([before.train.x, before.validation.x])
    assert split.train.x.tolist() == both.tolist()
    assert len(split.train) == len(split.train.y)
    assert split.test.x.tolist() == before.test.x.tolist()
