"""What is fuzzed: each target spoils a good file and reads it as a user would.

A target has `spoil(rng)`, which writes one bad file, and `use()`, which returns
nothing, or raises ValueError or OSError in a sentence. A wrong answer is an Unsound.
"""

import warnings
from importlib.util import find_spec

from tests import doubtful_models
from tests.fuzzing.checkpoints import Training
from tests.fuzzing.folders import folders
from tests.fuzzing.monitors import States
from tests.fuzzing.tables import tables


def targets(work):
    """Return everything to fuzz, by name, in a folder of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = {"checkpoint": Training(work), "monitor": States(work)}
        made |= folders(work) | tables(work)
        if find_spec("starlette") and find_spec("onnxruntime"):
            # Imported where used: they need the extra `serve`.
            from tests.fuzzing import requests  # noqa: PLC0415

            amounts = doubtful_models.regressor()
            made["requests"] = requests.of_arrays(work, amounts)
            made["requests of a table"] = requests.of_tables(work, made["csv"])
        return made
