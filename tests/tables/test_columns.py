import json

import numpy as np
import pytest

from antireg.storage.fields import Fields
from antireg.tables.columns import LARGEST, Column, Seen, column_from
from antireg.tables.notation import Notation

AREA = Column("area", "numeric", fill=431.0, seen=Seen(2344, 12.0, 2150.0))
SOLD = Column("sold", "date", fill=19_000.0, seen=Seen(300, 18_000.0, 20_000.0))
ROLE = Column("role", "categorical", missing=True, categories=("x", "y"))


def test_a_value_outside_the_range_is_said_with_the_range():
    assert AREA.outside(-999) == "area -999: below all 2,344 seen (12 … 2,150)"
    assert AREA.outside(2150.5) == "area 2,150.5: above all 2,344 seen (12 … 2,150)"
    assert AREA.outside(LARGEST) == "area infinite: above all 2,344 seen (12 … 2,150)"
    assert AREA.outside(12) == AREA.outside(2150) == ""
    assert SOLD.outside(20_513) == (
        "sold 2026-03-01: after all 300 seen (2019-04-14 to 2024-10-04)"
    )
    assert SOLD.outside(0).startswith("sold 1970-01-01: before all 300 seen")


def test_older_models_do_not_know_the_range():
    assert Column("area", "numeric").outside(1e9) == ""
    assert Column("area", "numeric").beyond(True) == ""


def test_a_value_is_said_with_its_column():
    gaps = Column("income", "numeric", fill=5.0, missing=True)
    new = Column("new", "boolean")
    assert AREA.said(np.array([[2000.0]])) == ["area 2,000"]
    assert SOLD.said(np.array([[18_001.0, 0, 0, 0, 0]])) == ["sold 2019-04-15"]
    assert gaps.said(np.array([[5.0, 1.0]])) == ["income missing"]
    assert gaps.said(np.array([[5.0, 0.0]])) == ["income 5"]
    assert new.said(np.array([[1.0]])) == ["new true"]
    assert ROLE.said(np.array([[0.0, 1, 0, 0]])) == ["role 'y'"]
    assert ROLE.said(np.array([[0.0, 0, 1, 0]])) == ["role missing"]
    assert ROLE.said(np.array([[0.0, 0, 0, 1]])) == ["role '(unseen)'"]
    built = Column("built", "numeric", seen=Seen(500, 1950, 2004))
    assert built.said(np.array([[2009.0], [2300.0], [20_090.0]])) == [
        "built 2009", "built 2300", "built 20,090",
    ]  # fmt: skip
    assert built.shown(1975.23) == "1975"  # a mean
    assert (AREA.side(True), SOLD.side(False)) == ("above", "before")


COLUMNS = [
    AREA,
    ROLE,
    SOLD,
    Column("sold", "date", 5.0, True, clock=True, notation=Notation((), False)),
    Column("new", "boolean", fill=0.5),
    Column("area", "numeric", 1.0, True, notation=Notation(("lots", "?!"))),
]


@pytest.mark.parametrize("column", COLUMNS)
def test_a_description_gives_the_column_back(column):
    described = json.loads(json.dumps(column.described()))
    assert column_from(Fields("model", described, "table.")) == column


def test_a_column_of_an_older_model_is_read_as_it_was():
    older = {"name": "area", "kind": "numeric", "fill": 2.0, "missing": False}
    assert column_from(Fields("model", older)) == Column("area", "numeric", 2.0)
    assert Column("area", "numeric", 2.0).described() == older


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("numeric", {"seen": {"rows": 3, "low": 2.0, "high": 1.0}}),
        ("numeric", {"seen": {"rows": 0, "low": 1.0, "high": 1.0}}),
        ("numeric", {"seen": {"rows": 3, "low": "x", "high": 1.0}}),
        ("numeric", {"seen": None}),
        ("numeric", {"notation": {"gaps": "x", "day_first": None}}),
        ("numeric", {"notation": {"gaps": [], "day_first": 1}}),
        ("date", {"clock": 1}),
        ("date", {"clock": False, "fill": 1e300}),
        ("date", {"clock": False, "seen": {"rows": 3, "low": 0.0, "high": 1e9}}),
    ],
)
def test_a_hostile_description_is_refused(kind, change):
    good = {"name": "a", "kind": kind, "fill": 1.0, "missing": False}
    with pytest.raises(ValueError, match="damaged"):
        column_from(Fields("model", good | change))
