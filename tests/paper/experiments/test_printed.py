from antireg.paper.experiments.printed import PRINTED, Printed
from antireg.paper.experiments.recipes import GROUPS


def test_numbers_are_those_of_the_tables():
    assert PRINTED["citycam-cameras", "other_cameras_nll", "DARE"] == (3.64, 0.34)
    assert PRINTED["citycam-weather", "after_14h_ece", "RDE"] == (0.13, 0.04)
    assert PRINTED["citycam-bigbus", "test_nll", "DE (NLL)"] == Printed(0.89, 0.03)
    assert PRINTED["cifar10", "accuracy", "AnchorNet"] == (91.8, 0.0)
    assert PRINTED["fashion-mnist", "mnist_auroc", "DE (MSE)"] == (93.0, 5.3)


def test_every_line_of_the_tables_is_there_under_the_name_of_its_contender():
    # The camera shift is there a second time, for the same five cameras.
    assert len(PRINTED) == 6 * 6 + 6 * 3 + 7 * 6 + 2 * 3
    studies = {s.recipe.name: s for g in ("citycam", "images") for s in GROUPS[g]}
    for recipe, _, contender in PRINTED:
        assert contender in {c.name for c in studies[recipe].contenders}
