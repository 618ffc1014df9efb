import numpy as np
import pyarrow as pa

from antireg.tables.columns import Column, Seen
from antireg.tables.values import encode, target_values, type_of

SOLD = Column("sold", "date", fill=19_000.0, seen=Seen(300, 18_000.0, 20_000.0))


def encoded(column, values):
    into = np.zeros((len(values), len(column.features)))
    return into, encode(column, pa.array(values).cast(type_of(column.kind)), into)


def test_dates_become_days_and_places_in_year_and_week():
    X, strange = encoded(SOLD, ["1970-01-01", None])
    assert SOLD.features == [
        "sold",
        *("sold, sine of the year", "sold, cosine of the year"),
        *("sold, sine of the week", "sold, cosine of the week"),
    ]
    assert X.tolist() == [[0, 0, 1, 0, 1], [19_000, 0, 0, 0, 0]]
    assert strange.tolist() == [False, True]


def test_times_and_gaps_of_training_have_features_of_their_own():
    column = Column("sold", "date", fill=1.0, missing=True, clock=True)
    X, strange = encoded(column, ["1970-01-01 06:00:00", None])
    np.testing.assert_allclose(X[0, [0, 5, 6, 7]], [0.25, 1, 0, 0], atol=1e-12)
    assert X[1].tolist() == [1, 0, 0, 0, 0, 0, 0, 1]
    assert not strange.any()


def test_targets_have_the_type_that_an_estimator_takes():
    assert target_values(pa.array(["a", "b"]), "categorical").tolist() == ["a", "b"]
    assert target_values(pa.array([True, False]), "boolean").dtype == bool
    assert target_values(pa.array([1, 2]), "numeric").tolist() == [1.0, 2.0]
