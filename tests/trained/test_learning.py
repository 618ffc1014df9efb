import numpy as np
import pytest

from antireg import from_networks
from antireg.familiarity.doubt import DEFAULT_REACH, START
from antireg.familiarity.references import MOST
from tests.trained_networks import picture_network, pictures, regression_network, rows


def test_doubt_has_its_default_numbers_except_for_the_noise() -> None:
    model = from_networks(regression_network(0), "regression", random_state=0)
    model.fit(*rows(200, 1), reference=rows(300, 2)[0])
    doubt = model.reader_.doubt_.doubt
    curve = doubt.curve
    assert [curve.a, curve.b, doubt.growth, doubt.width] == START[[0, 1, 3, 4]].tolist()
    assert curve.end - curve.start == pytest.approx(DEFAULT_REACH)
    # One noise for all rows is the mean square of these residuals already.
    assert doubt.noise == pytest.approx(0, abs=0.05)


def test_frequencies_are_those_of_validation_rows() -> None:
    X, y = pictures(200, 1)
    model = from_networks(picture_network(0), "classification", random_state=0)
    model.fit(X, y)
    shares = np.bincount(y, minlength=3) / len(y)
    assert model.reader_.doubt_.doubt.frequencies == pytest.approx(shares)


def test_references_are_those_given_drawn_by_the_seed() -> None:
    X_train = rows(MOST + 500, 2)[0]
    kept = []
    for seed in (0, 0, 1):
        model = from_networks(regression_network(0), "regression", random_state=seed)
        model.fit(*rows(100, 1), reference=X_train)
        scaling = model.comparing_.scaling
        inputs = model.comparing_.signalling.reference.inputs
        kept.append(scaling.unscaled(inputs[:50].astype(float)))
    assert np.array_equal(kept[0], kept[1])
    assert not np.array_equal(kept[0], kept[2])
    away = np.abs(kept[0][:, None] - X_train[None]).max(axis=2)
    assert away.min(axis=1).max() < 1e-6


def test_weights_count_in_noise_and_frequencies() -> None:
    X, y = rows(400, 1)
    y[:200] += 20 * np.where(np.arange(200) % 2, 1, -1)
    weight = np.where(np.arange(400) < 200, 1e-9, 1.0)
    model = from_networks(regression_network(0), "regression", random_state=0)
    quiet = model.fit(X, y, sample_weight=weight).predict(X, return_std=True)[1]
    assert np.median(quiet) < 1
    loud = model.fit(X, y).predict(X, return_std=True)[1]
    assert np.median(loud) > 5
