"""Names lead to studies; the studies are the paper's."""

import pytest

from antireg import DARE
from antireg.paper.experiments import recipes
from antireg.paper.experiments.plan import cells


def test_all_is_every_study_once():
    names = [study.name for study in recipes.named(["all", "toys", "citycam-weather"])]
    assert len(names) == len(set(names))
    assert {"two-moons", "citycam-cameras", "fashion-mnist", "lambda"} <= set(names)


def test_a_group_and_its_parts_have_names():
    assert [s.name for s in recipes.named(["citycam"])] == [
        "citycam-weather",
        "citycam-cameras",
        "citycam-bigbus",
        "citycam-same-cameras",
    ]
    assert recipes.named(["cifar10"])[0].recipe is recipes.CIFAR


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"NAME must be one of toys, .*got 'citicam'"):
        recipes.named(["citicam"])


def test_the_papers_trainings_take_all_their_epochs():
    papers = [study for study in recipes.named(["all"]) if not study.recipe.whole]
    assert [s.name for s in papers if s.recipe.settings["patience"] is not None] == []


def test_tables_hold_all_methods_of_the_paper():
    assert len(recipes.REGRESSION) == 6
    assert len(recipes.CLASSIFICATION) == 7


@pytest.mark.parametrize(
    ("recipe", "epochs"),
    [
        (recipes.WEATHER, 200),
        (recipes.CAMERAS, 100),
        (recipes.BIGBUS, 100),
        (recipes.FASHION, 50),
        (recipes.CIFAR, 50),
    ],
)
def test_settings_are_the_papers(recipe, epochs):
    assert recipe.settings["epochs"] == epochs
    assert recipe.settings["batch_size"] == 128
    assert recipe.settings["scaling"] == "none"


def test_the_ablation_shares_recipe_and_reference_with_the_table():
    table, ablation = recipes.named(["citycam-weather", "delta-citycam-weather"])
    assert table.recipe is ablation.recipe
    assert DARE().delta in recipes.DELTAS
    assert len(cells([table, ablation], 1)) == 6 + len(recipes.DELTAS) - 1
