"""Values of untrusted files: each is of its kind, or one sentence names its place."""

import pytest

from antireg.storage.fields import Fields


def fields(**values: object) -> Fields:
    return Fields("model", values, "outer.")


@pytest.mark.parametrize("given", [None, [], "text", 3])
def test_what_is_no_object_is_refused(given: object) -> None:
    with pytest.raises(ValueError, match=r"model\.json must be an object"):
        Fields("model", given)


def test_an_error_names_the_folder_and_the_field() -> None:
    with pytest.raises(ValueError, match=r"'model' is damaged .* outer\.a is missing"):
        fields().get("a")
    with pytest.raises(ValueError, match=r"outer\.a\.b is missing"):
        fields(a={}).inner("a").get("b")


@pytest.mark.parametrize(
    ("kind", "good"),
    [
        ("count", 3),
        ("number", -1.5),
        ("number", 2),
        ("flag", False),
        ("text", ""),
        ("texts", ["a", ""]),
        ("texts", []),
        ("counts", [1, 2]),
    ],
)
def test_a_value_of_its_kind_comes_back(kind: str, good: object) -> None:
    assert getattr(fields(a=good), kind)("a") == good


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("count", 0),
        ("count", True),
        ("count", 1.0),
        ("count", 2**40),
        ("number", True),
        ("number", "1"),
        ("number", float("nan")),
        ("number", float("inf")),
        ("number", 10**400),
        ("flag", 1),
        ("flag", None),
        ("text", 1),
        ("texts", "ab"),
        ("texts", ["a", 1]),
        ("counts", [1, 0]),
        ("counts", [True]),
        ("counts", [2**40]),
        ("numbers", 1.0),
        ("numbers", [1.0, True]),
        ("numbers", [float("nan")]),
    ],
)
def test_a_value_of_another_kind_is_refused(kind: str, wrong: object) -> None:
    with pytest.raises(ValueError, match=r"outer\.a must be"):
        getattr(fields(a=wrong), kind)("a")


def test_a_choice_is_one_of_those_named() -> None:
    assert fields(a="x").choice("a", ["x", "y"]) == "x"
    with pytest.raises(ValueError, match=r"outer\.a must be one of x, y"):
        fields(a="z").choice("a", ["x", "y"])


def test_a_format_that_is_not_known_yet_says_so() -> None:
    assert fields(format=2).version("gate", 2) == 2
    with pytest.raises(ValueError, match=r"gate in 'model' .* up to 2, .* got 3"):
        fields(format=3).version("gate", 2)


def test_arrays_have_few_axes() -> None:
    assert fields(a=[2, 3]).axes("a") == (2, 3)
    with pytest.raises(ValueError, match=r"outer\.a must have at most 64 axes"):
        fields(a=[1] * 65).axes("a")
