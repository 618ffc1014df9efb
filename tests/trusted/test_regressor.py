import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

from antireg import TrustedRegressor
from tests.small_tables import table

pytestmark = pytest.mark.filterwarnings("ignore:doubt was not learned")


def uneven(n_rows, rng):
    """Rows whose noise is skewed to no side, heavy in its tails and not the same."""
    X = rng.normal(size=(n_rows, 3))
    noise = 0.3 * np.exp(0.5 * X[:, 2]) * rng.standard_t(4, size=n_rows)
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + noise


BOOSTING = HistGradientBoostingRegressor(max_iter=10, max_leaf_nodes=8)
FOREST = RandomForestRegressor(10, min_samples_leaf=3)


@pytest.mark.parametrize(
    ("inner", "n_rows"),
    [
        (Ridge(), 300),
        (BOOSTING, 300),
        pytest.param(BOOSTING, 1000, marks=pytest.mark.slow),
        pytest.param(FOREST, 300, marks=pytest.mark.slow),
    ],
    ids=["ridge", "boosting", "boosting of 1000", "forest"],
)
def test_intervals_hold_nine_times_in_ten_from_300_rows_on(inner, n_rows):
    held = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        model = TrustedRegressor(inner, random_state=seed).fit(*uneven(n_rows, rng))
        X, y = uneven(1000, rng)
        low, high = model.predict_interval(X)
        held.append(((low <= y) & (y <= high)).mean())
    # One fit is off by √(.1 · .9 / 300) = .017, and the mean of twenty by .004.
    assert np.mean(held) == pytest.approx(0.9, abs=0.02)


def test_far_away_the_answer_is_mostly_what_one_would_say_without_looking():
    X, y = table(300)
    tree = DecisionTreeRegressor(min_samples_leaf=5, random_state=0)
    model = TrustedRegressor(tree, random_state=0).fit(X, y)
    far = np.array([[1e9, 1e9, -1e9]])
    w, plain = model.doubt(far), model.estimator_.predict(far)
    assert w > 0.9
    mean, std = model.predict(far, return_std=True)
    np.testing.assert_allclose(mean, (1 - w) * plain + w * y.mean())
    # The variance of a mixture of two is that within and that between them.
    doubt, noise = model.gate_.doubt, model.predictive(far).variances[0, 0]
    within = (1 - w) * noise + w * doubt.fallback_variance
    between = w * (1 - w) * np.square(plain - y.mean())
    np.testing.assert_allclose(std, np.sqrt(within + between))


def test_near_the_answer_is_the_estimators():
    X, y = table(300)
    model = TrustedRegressor(Ridge(), random_state=0).fit(X, y)
    sure = model.doubt(X) == 0
    assert sure.mean() > 0.9
    plain = Ridge().fit(X, y).predict(X)
    np.testing.assert_allclose(model.predict(X)[sure], plain[sure])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_words_go_through_the_encoders_of_a_pipeline(make):
    rng = np.random.default_rng(0)
    colour = np.array(["red", "green", "blue"])[rng.integers(3, size=200)]
    size = rng.uniform(0, 1, 200)
    y = size + (colour == "red") + 0.1 * rng.normal(size=200)
    first = make_column_transformer(
        # Dense: scikit-learn 1.6 cannot count the numbers of a polars frame.
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["colour"]),
        remainder="passthrough",
    )
    model = TrustedRegressor(make_pipeline(first, Ridge()), random_state=0)
    model.fit(make({"colour": colour, "size": size}), y)
    assert model.gate_.looking.signalling.reference.inputs.shape == (200, 4)
    new = make({"colour": ["red", "red", "pink"], "size": [0.5, 30.0, 0.5]})
    assert model.is_ood(new).tolist() == [False, True, True]


def test_words_that_the_estimator_takes_itself_are_encoded_for_distances():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "colour": pd.Categorical(
                np.array(["red", "blue"])[rng.integers(2, size=200)]
            ),
            "size": rng.uniform(0, 1, 200),
        }
    )
    y = frame["size"] + (frame["colour"] == "red")
    inner = HistGradientBoostingRegressor(
        max_iter=10, categorical_features="from_dtype"
    )
    model = TrustedRegressor(inner, random_state=0).fit(frame, y)
    far = frame[:2].assign(size=[0.5, 40.0])
    assert model.is_ood(far).tolist() == [False, True]


def test_gaps_are_taken_by_estimators_that_take_them():
    X, y = table(200)
    X[::4, 0] = np.nan
    inner = HistGradientBoostingRegressor(max_iter=10)
    model = TrustedRegressor(inner, random_state=0).fit(X, y)
    unusual = np.array([[0.0, 0.0, 0.0], [np.nan, 0.0, 0.0], [0.0, np.nan, 0.0]])
    assert model.is_ood(unusual).tolist() == [False, False, True]


def test_several_targets_have_intervals_of_their_own():
    X, y = table(200)
    both = np.stack([y, 100 * y], axis=1)
    model = TrustedRegressor(Ridge(), random_state=0).fit(X, both)
    mean, std = model.predict(X[:5], return_std=True)
    assert mean.shape == std.shape == (5, 2)
    low, high = model.predict_interval(X[:5])
    width = high - low
    np.testing.assert_allclose(width[:, 1], 100 * width[:, 0], rtol=1e-3)


def test_a_forest_says_more_noise_where_its_trees_disagree():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (600, 1))
    y = np.where(X[:, 0] > 0, 1.0, 0.01) * rng.normal(size=600)
    model = TrustedRegressor(RandomForestRegressor(30), random_state=0).fit(X, y)
    _, std = model.predict([[-0.5], [0.5]], return_std=True)
    # Noise differs a hundredfold; 600 rows are too few to say so (`noise.guard_share`).
    assert std[1] > 2 * std[0]
