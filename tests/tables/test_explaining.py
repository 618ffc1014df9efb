import numpy as np
import pandas as pd
import pytest

from antireg.rows.scaling import Scaling
from antireg.tables import Column, Encoding
from antireg.tables.explaining import Explaining
from antireg.training.provenance import TrainingData
from tests.doubtful_models import SETTINGS, EnsembleRegressor

ENCODING = Encoding(
    (
        Column("number", "numeric", fill=0.0, missing=True),
        Column("word", "categorical", categories=("x", "y")),
    ),
    "target",
    "numeric",
)
# 100 rows: numbers −1 and 1 as often, a fifth missing, as many x as y.
TRAINING = TrainingData(
    100, "", np.array([0, 0.2, 0.5, 0.5, 0]), np.array([0.8, 0.16, 0.25, 0.25, 0])
)


def test_without_references_the_value_farthest_from_the_mean_is_named():
    explain = Explaining(ENCODING, Scaling(np.zeros(5), np.ones(5)), TRAINING, None)
    X = np.zeros((4, 5))
    X[:, 2] = 1
    X[0, 0], X[1, 0], X[2, 0] = 3.0, -1.0, -3.0
    X[3, 1:] = 0, 0, 0, 1
    # The variance is 0.8: 3 is 9 / 0.8 = 11.25 times as far, above 3² = 9.
    assert explain(X, ["", "", "word 'z': not seen", ""]) == [
        ["number 3: far above the mean of training (0)"],
        ["score"],
        ["word 'z': not seen"],
        ["word '(unseen)': rare in training"],
    ]
    assert explain(np.zeros((0, 5))) == []


def homes(n_rows=600):
    """Return houses in which oil heats the old ones only, and few have wood."""
    rng = np.random.default_rng(0)
    built = rng.integers(1900, 2020, n_rows)
    area = rng.uniform(20, 200, n_rows).round()
    area[area > 150] += 300  # none is in between
    heating = np.where(built < 1960, "oil", "gas")
    heating[:1] = "wood"
    frame = pd.DataFrame({"area": area, "built": built, "heating": heating})
    frame["income"] = np.where(np.arange(n_rows) == 1, np.nan, rng.normal(size=n_rows))
    return frame.sample(frac=1, random_state=1), 3.0 * area + built


@pytest.fixture(scope="module")
def model():
    return EnsembleRegressor(**SETTINGS).fit(*homes())


def why(model, **changes):
    usual = {"area": 100.0, "built": 1990, "heating": "gas", "income": 0.1} | changes
    encoded = model.entering(pd.DataFrame([usual]))
    return model.reasons_of(encoded.values, encoded.words)[0]


def test_each_kind_of_reason_is_said(model):
    low, high = homes()[0]["area"].min(), homes()[0]["area"].max()
    assert why(model, area=-999.0) == [
        f"area -999: below all 600 seen ({low:.0f} … {high:.0f})"
    ]
    assert why(model, heating="oil", built=2009)[0] in {
        "heating 'oil' with built 2009: no such pair seen in 500 rows",
        "built 2009 with heating 'oil': no such pair seen in 500 rows",
    }
    assert why(model, heating="coal") == ["heating 'coal': not seen"]
    assert why(model, built=None) == ["built missing: never missing in training"]
    assert why(model, area=300.0)[0].startswith("area 300: none of ")
    assert why(model, area=300.0)[0].endswith(" seen between 150 and 451")
    assert why(model, heating="wood", built=1990)[0].startswith("heating 'wood'")
    assert why(model, income=None)[0] == "income missing: rare in training"


def test_a_pair_is_said_once(model):
    first, *others = why(model, heating="oil", built=2009)
    assert "no such pair" in first
    assert not any("no such pair" in other for other in others)
    assert not any(other.startswith(("heating", "built")) for other in others)


def test_reasons_do_not_depend_on_the_rows_beside_them(model):
    frame = homes()[0].head(40).assign(area=np.linspace(-50, 900, 40))
    encoded = model.entering(frame)
    together = model.reasons_of(encoded.values, top=2)
    assert together == [model.reasons_of(x[None], top=2)[0] for x in encoded.values]
    assert all(len(reasons) <= 2 for reasons in together)


def test_prototypes_are_no_rows_of_which_one_could_say_what_none_has():
    model = EnsembleRegressor(**SETTINGS | {"doubt": "prototypes"}).fit(*homes())
    assert why(model, area=300.0)[0] == "area 300: few seen near it"
    assert "pair" not in why(model, heating="oil", built=2009)[0]
