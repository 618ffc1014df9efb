import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from antireg import TrustedDetector, TrustedRegressor
from tests.small_tables import table

pytestmark = pytest.mark.filterwarnings("ignore:doubt was not learned")

X, Y = table()


def test_false_alarms_are_as_rare_as_asked_for():
    rng = np.random.default_rng(0)
    rates = []
    for seed in range(10):
        detector = TrustedDetector(false_alarm_rate=0.1, random_state=seed)
        detector.fit(rng.normal(size=(500, 3)))
        rates.append((detector.predict(rng.normal(size=(1000, 3))) == -1).mean())
    # By 100 rows a rate of .1 is off by √(.1 · .9 / 100) = .03; ten times, by .01.
    assert np.mean(rates) == pytest.approx(0.1, abs=0.04)


def test_words_are_taken_too():
    frame = pd.DataFrame({"colour": ["red", "blue"] * 50, "size": np.arange(100.0)})
    detector = TrustedDetector(random_state=0).fit(frame)
    new = pd.DataFrame({"colour": ["red", "red"], "size": [50.0, 5000.0]})
    assert detector.predict(new).tolist() == [1, -1]


def test_a_fitted_model_becomes_a_detector_that_agrees_with_it():
    model = TrustedRegressor(Ridge(), random_state=0).fit(X, Y)
    detector = model.as_detector()
    rows = np.concatenate([X, X + 10])
    np.testing.assert_array_equal(detector.predict(rows) == -1, model.is_ood(rows))
    np.testing.assert_array_equal(detector.score_samples(rows), -model.ood_score(rows))


def test_a_detector_with_a_model_fits_a_copy_of_it_also_in_a_pipeline():
    model = TrustedRegressor(Ridge(), random_state=0)
    pipeline = make_pipeline(StandardScaler(), TrustedDetector(model)).fit(X, Y)
    assert pipeline.predict(X[:1] + 100).tolist() == [-1]
    assert not hasattr(model, "gate_")
    with pytest.raises(ValueError, match="requires y"):
        TrustedDetector(model).fit(X)
