"""What the method promises, measured: uncertainty grows away from the data."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from antireg import DARE, EnsembleClassifier, EnsembleRegressor, metrics
from antireg.paper.data.toys import one_dimensional, truth, two_moons

pytestmark = pytest.mark.filterwarnings(
    "ignore:DARE:sklearn.exceptions.ConvergenceWarning"
)

PAPER = {
    "n_members": 20,
    "batch_size": 32,
    "scaling": "none",
    "random_state": 0,
    "doubt": None,
}


def fitted(model: BaseEstimator, split) -> BaseEstimator:
    held_out = (split.validation.x, split.validation.y)
    return model.fit(split.train.x, split.train.y, validation_data=held_out)


def moons(method, loss: str) -> EnsembleClassifier:
    # Five members see what the paper's twenty do, in a third of the time.
    settings = {**PAPER, "n_members": 5}
    model = EnsembleClassifier(method, loss=loss, epochs=500, **settings)
    return fitted(model, two_moons(0))


def far_auroc(model: EnsembleClassifier) -> float:
    """AUROC of the grid points of [−3, 3]² at least 0.75 from any training point."""
    split = two_moons(0)
    side = np.linspace(-3, 3, 61)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    distance = np.linalg.norm(grid[:, None] - split.train.x, axis=-1).min(axis=1)
    inside = model.ood_score(split.validation.x)
    return metrics.auroc(inside, model.ood_score(grid[distance > 0.75]))


def test_dare_finds_everything_far_from_two_moons_and_deep_ensembles_do_not() -> None:
    dare = far_auroc(moons(DARE(threshold=0.001), "squared_error"))
    deep_ensemble = far_auroc(moons("deep_ensemble", "cross_entropy"))
    assert dare >= 0.97
    assert dare > deep_ensemble + 0.2


def on_a_line(method, loss: str) -> EnsembleRegressor:
    # 4 steps an epoch: at 500 epochs λ is still 1 and DARE has not happened yet.
    settings = {**PAPER, "epochs": 1000, "robust": False}
    return fitted(EnsembleRegressor(method, loss=loss, **settings), one_dimensional(0))


def line_coverage(model: EnsembleRegressor) -> tuple[float, float]:
    """Share of [−1.5, 1.5] where ±2σ holds the truth: away from data, and near."""
    split = one_dimensional(0)
    x = np.linspace(-1.5, 1.5, 601)[:, None]
    mean, std = model.predict(x, return_std=True)
    holds = np.abs(mean - truth(x[:, 0])) <= 2 * std
    away = np.abs(x - split.train.x[:, 0]).min(axis=1) > 0.05
    return float(holds[away].mean()), float(holds[~away].mean())


def test_dares_band_holds_the_truth_in_the_gap_and_beyond_the_ends() -> None:
    model = on_a_line(DARE(threshold=0.1), "gaussian_nll")
    away, near = line_coverage(model)
    assert away >= 0.95
    assert near >= 0.95
    # Members that are far out are what widens the band: pulled in, they hold less.
    model.robust_ = True
    away, near = line_coverage(model)
    assert away >= 0.85
    assert near >= 0.9


@pytest.mark.slow
def test_the_band_of_a_squared_error_deep_ensemble_does_not() -> None:
    away, _ = line_coverage(on_a_line("deep_ensemble", "squared_error"))
    assert away < 0.8


@pytest.mark.parametrize("make", [EnsembleRegressor, EnsembleClassifier])
def test_false_alarms_come_at_the_rates_asked_for(make) -> None:
    asked = [0.05, 0.2]
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(1600, 2))
        y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=1600)
        y = y if make is EnsembleRegressor else (y > 0)
        model = make(
            n_members=3,
            hidden=(16,),
            epochs=20,
            lr=1e-2,
            validation_fraction=0.3,
            random_state=seed,
        ).fit(X[:600], y[:600])
        found.append([model.is_ood(X[600:], rate).mean() for rate in asked])
    few, many = np.mean(found, axis=0)
    assert few == pytest.approx(0.05, abs=0.015)
    # 180 validation rows a seed: three deviations of a mean over 20 seeds.
    assert many == pytest.approx(0.2, abs=3 * (0.2 * 0.8 / 180 / 20) ** 0.5)
