"""A recipe small enough to be run by tests, in processes of their own too."""

from antireg.estimators import EnsembleRegressor
from antireg.methods import DARE, MOD, DeepEnsemble
from antireg.paper.data.toys import one_dimensional
from antireg.paper.experiments.measures import regression
from antireg.paper.experiments.plan import cells
from antireg.paper.experiments.study import Contender, Recipe, Study

SMALL = Recipe(
    "small",
    one_dimensional,
    EnsembleRegressor,
    {"n_members": 2, "hidden": (8,), "epochs": 3, "scaling": "none", "device": "cpu"},
    regression,
    cost=1,
)
NLL = "gaussian_nll"
DE = Contender("DE (NLL)", DeepEnsemble(), NLL)
DARE_LINE = Contender("DARE", DARE(), NLL)
MOD_LINE = Contender("MOD", MOD(), NLL, searched=True)
STUDY = Study("small", SMALL, (DE, DARE_LINE, MOD_LINE))


def small_cells(n_seeds=2):
    return cells([STUDY], n_seeds)
