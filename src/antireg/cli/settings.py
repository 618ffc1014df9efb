"""Every setting of the estimators as an option of the command line.

The options are read from the signatures, so the two cannot drift apart.
"""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable
from typing import Any

from antireg.estimators import EnsembleClassifier, EnsembleRegressor
from antireg.methods import METHODS, Method, as_method

CODE = ("network", "callbacks")
"""Settings that only Python can hold."""

ELSEWHERE = ("method", "target_transform", "verbose")
"""Settings that have another kind of option: --method-setting, --log-target, --quiet.
"""

PHRASES = {
    "n_members": "networks in the ensemble",
    "hidden": "units of the hidden layers",
    "bins": "bins that each column of a table is cut into at most, auto, or none to "
    "leave columns whole",
    "activation": "relu, leaky_relu, tanh, sigmoid or identity",
    "loss": "gaussian_nll or squared_error for amounts, squared_error or "
    "cross_entropy for classes, or auto",
    "steps": "training steps at most, rounded up to whole epochs",
    "epochs": "passes over the rows at most, instead of --steps",
    "patience": "epochs without a better one after which training ends, auto, or none "
    "to take all steps",
    "batch_size": "rows per step; auto is 32 below 2000 rows, else 128",
    "lr": "step size of Adam; auto is 0.002 with bins, else 0.001",
    "scaling": "how inputs are scaled: range gives 0 to 1, standard gives mean 0 and "
    "standard deviation 1, none leaves them unchanged",
    "validation_fraction": "share of the rows held out without --validation, to choose "
    "the epoch and set the threshold of the flag",
    "false_alarm_rate": "share of familiar rows that may be flagged",
    "robust": "no single wild network or validation row decides a result, and no "
    "network may be as bad as a constant guess",
    "doubt": "rehearsed to learn where the networks fail, and to say there what one "
    "would say without looking, or none; the model then holds training rows, or means "
    "of some with prototypes",
    "random_state": "seed: the same one gives the same model",
    "n_jobs": "workers that share the members, -1 for one per processor",
    "device": "cpu, cuda, or auto for a GPU if there is one",
}
"""What each setting is, for --help."""


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add an option for each setting, and for those of the method."""
    group = parser.add_argument_group("settings of the ensemble")
    default = _parameters()["method"].default
    group.add_argument(
        "--method",
        choices=[default, *METHODS],
        default=default,
        help="how members are made to disagree; auto is deep_ensemble with doubt and "
        f"dare without (default: {default})",
    )
    own = {name: ", ".join(kind().get_params()) for name, kind in METHODS.items()}
    known = "; ".join(f"{name} has {names}" for name, names in own.items() if names)
    group.add_argument(
        "--method-setting",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"a setting of the method, such as delta=0.5; may be repeated ({known})",
    )
    group.add_argument(
        "--log-target",
        dest="target_transform",
        action="store_const",
        const="log",
        default=argparse.SUPPRESS,
        help="learn the logarithms of amounts, which must be above 0; results are in "
        "their own units",
    )
    for name, parameter in _parameters().items():
        if name not in CODE + ELSEWHERE:
            _add(group, name, parameter.default)


def settings(args: argparse.Namespace, estimator: type) -> dict[str, Any]:
    """Return the settings that the user gave, for that estimator."""
    given = {name: value for name, value in vars(args).items() if name in _parameters()}
    foreign = [n for n in given if n not in inspect.signature(estimator).parameters]
    if foreign:
        raise ValueError(
            f"--{foreign[0].replace('_', '-')} must be left out for an "
            f"{estimator.__name__}, which has no such setting."
        )
    return given | {"method": _method(args.method, args.method_setting)}


def _parameters() -> dict[str, inspect.Parameter]:
    """Return the parameters of both estimators by name."""
    both = (EnsembleRegressor, EnsembleClassifier)
    return {
        name: parameter
        for estimator in both
        for name, parameter in inspect.signature(estimator).parameters.items()
    }


def _add(group: Any, name: str, default: Any) -> None:
    option, phrase = f"--{name.replace('_', '-')}", PHRASES.get(name, "")
    if isinstance(default, bool):
        group.add_argument(
            option,
            action=argparse.BooleanOptionalAction,
            default=argparse.SUPPRESS,
            help=f"{phrase} (default: {'yes' if default else 'no'})",
        )
        return
    shown = ",".join(map(str, default)) if isinstance(default, tuple) else default
    group.add_argument(
        option,
        type=word_or_none if name == "doubt" else _parser(default),
        default=argparse.SUPPRESS,
        metavar="SIZES" if isinstance(default, tuple) else name.upper(),
        help=phrase if default is None else f"{phrase} (default: {shown})",
    )


def _parser(default: Any) -> Callable[[str], Any]:
    """Return a function that turns text into a value of the default's type."""
    if isinstance(default, tuple):
        return sizes
    if default == "auto":
        return number_or_word
    return int if default is None else type(default)


def word_or_none(text: str) -> str | None:
    """Return the text as it is, or None for none."""
    return None if text == "none" else text


def number_or_word(text: str) -> int | float | str | None:
    """Return the text as a number if it is one, None for none, else as it is."""
    if text == "none":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def sizes(text: str) -> tuple[int, ...]:
    """Return numbers separated by commas."""
    return tuple(int(part) for part in text.split(","))


def _method(name: str, changes: list[str]) -> Method | str:
    if name == "auto":
        if changes:
            raise ValueError(
                f"--method-setting must come with --method, got {changes[0]!r} alone. "
                f"For example: --method dare --method-setting {changes[0]}"
            )
        return name
    method = as_method(name)
    known = method.get_params()
    for change in changes:
        setting, _, text = change.partition("=")
        if setting not in known:
            raise ValueError(
                f"--method-setting must name one of {', '.join(known) or 'no setting'} "
                f"for {name}, got {change!r}."
            )
        try:
            value = text if text == "auto" else float(text)
        except ValueError:
            raise ValueError(
                f"--method-setting must be NAME=NUMBER, got {change!r}. For example: "
                f"--method-setting {setting}=0.5"
            ) from None
        method.set_params(**{setting: value})
    return method
