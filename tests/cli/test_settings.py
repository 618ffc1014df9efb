import argparse
import inspect

import pytest

from antireg import METHODS, EnsembleClassifier, EnsembleRegressor
from antireg.cli.settings import (
    CODE,
    ELSEWHERE,
    PHRASES,
    _parameters,
    add_settings,
    number_or_word,
    settings,
)


def parsed(*arguments):
    parser = argparse.ArgumentParser()
    add_settings(parser)
    return parser.parse_args(arguments)


@pytest.mark.parametrize("estimator", [EnsembleRegressor, EnsembleClassifier])
def test_every_setting_is_an_option(estimator):
    parser = argparse.ArgumentParser()
    add_settings(parser)
    options = {action.dest for action in parser._actions}
    wanted = set(inspect.signature(estimator).parameters) - {*CODE, *ELSEWHERE}
    assert wanted | {"method"} <= options


def test_every_option_is_explained():
    parser = argparse.ArgumentParser()
    add_settings(parser)
    assert set(PHRASES) >= set(_parameters()) - {*CODE, *ELSEWHERE}
    help_text = " ".join(parser.format_help().split())
    assert "networks in the ensemble (default: 5)" in help_text
    assert "dare has delta, start, threshold" in help_text


def test_only_what_is_given_is_set():
    found = settings(parsed("--lr", "0.01"), EnsembleRegressor)
    assert found == {"method": "auto", "lr": 0.01}


def test_values_have_the_type_of_their_default():
    given = ["--hidden", "7,8", "--epochs", "3", "--random-state", "1"]
    found = settings(parsed(*given), EnsembleRegressor)
    assert (found["hidden"], found["epochs"], found["random_state"]) == ((7, 8), 3, 1)
    EnsembleRegressor(**found)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_known_by_name(name):
    found = settings(parsed("--method", name), EnsembleClassifier)
    assert isinstance(found["method"], METHODS[name])


def test_settings_of_the_method_are_set():
    given = "--method", "dare", "--method-setting", "delta=0.5"
    found = settings(parsed(*given), EnsembleRegressor)
    assert found["method"].delta == 0.5
    with pytest.raises(ValueError, match="must come with --method, got 'delta"):
        settings(parsed("--method-setting", "delta=0.5"), EnsembleRegressor)


def test_a_setting_that_may_be_auto_takes_numbers_and_words():
    assert [number_or_word(text) for text in ("64", "0.5", "auto")] == [64, 0.5, "auto"]
    assert number_or_word("none") is None


def test_doubt_is_a_word_or_none():
    parser = argparse.ArgumentParser()
    add_settings(parser)
    asked = parser.parse_args(["--doubt", "rehearsed"])
    assert settings(asked, EnsembleRegressor)["doubt"] == "rehearsed"
    assert (
        settings(parser.parse_args(["--doubt", "none"]), EnsembleRegressor)["doubt"]
        is None
    )
