import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from antireg.trusted.looking import Observer
from antireg.trusted.rules import ValueRules
from tests.small_tables import table

X, Y = table()
RULES = ValueRules.of(Y, np.ones(len(Y)))


def test_a_forest_has_a_signal_more_than_a_line():
    line = Observer.learned(RULES, LinearRegression().fit(X, Y), X, seed=0)
    assert set(line(X).signals) == {"nearest", "density", "columns", "sensitive"}
    forest = RandomForestRegressor(3, random_state=0).fit(X, Y)
    looked = Observer.learned(RULES, forest, X, seed=0)(X)
    assert "spread" in looked.signals
    np.testing.assert_allclose(looked.answer.values[:, 0], forest.predict(X))


def test_a_rehearsal_has_few_references_and_the_signals_of_doubt(monkeypatch):
    monkeypatch.setattr("antireg.trusted.looking.REHEARSAL_REFERENCES", 10)
    model = LinearRegression().fit(X, Y)
    looking = Observer.learned(RULES, model, X, seed=0, brief=True)
    assert len(looking.signalling.reference.inputs) == 10
    assert set(looking(X).signals) == {"density", "sensitive"}


def test_rows_far_away_score_higher_by_every_signal():
    looking = Observer.learned(RULES, LinearRegression().fit(X, Y), X, seed=0)
    near, far = looking(X[:20]).signals, looking(X[:20] + 100).signals
    for name in near:
        assert far[name].min() > near[name].max(), name


def test_a_column_that_the_model_does_not_use_does_not_count_as_sensitive():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 2))
    model = LinearRegression().fit(rows, rows[:, 0])
    looking = Observer.learned(RULES, model, rows, seed=0)
    moved = rows[:20] + np.array([0.0, 50.0])
    here, there = looking(rows[:20]).signals, looking(moved).signals
    assert (there["nearest"] > here["nearest"] + 1).all()
    np.testing.assert_allclose(there["sensitive"], here["sensitive"], atol=1e-3)
