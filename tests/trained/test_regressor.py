import numpy as np
import pytest
import torch
from torch import nn

from antireg import NetworksRegressor, from_networks
from tests.trained_networks import regression_network, rows

X, Y = rows(400, 1)
X_NEW, Y_NEW = rows(2000, 3)


def fitted(networks, **settings) -> NetworksRegressor:
    made = from_networks(networks, "regression", random_state=0, **settings)
    return made.fit(X, Y, reference=rows(500, 2)[0])


def test_inside_it_says_what_the_networks_say() -> None:
    networks = [regression_network(0), regression_network(1)]
    model = fitted(networks)
    rows_in = torch.tensor(X_NEW).float()
    with torch.no_grad():
        said = [network.eval()(rows_in)[:, 0].double().numpy() for network in networks]
    trusted = model.doubt(X_NEW) == 0
    assert trusted.mean() > 0.8
    mean = np.mean(said, axis=0)
    assert model.predict(X_NEW)[trusted] == pytest.approx(mean[trusted], rel=1e-5)


@pytest.mark.parametrize("outputs", ["mean", "mean_log_variance"])
def test_intervals_and_deviations_are_right_inside(outputs: str) -> None:
    model = fitted(regression_network(0, 1 + (outputs != "mean")), outputs=outputs)
    mean, std = model.predict(X_NEW, return_std=True)
    low, high = model.predict_interval(X_NEW)
    # Of 400 and 2000 rows: 90 % ± 3 · 1.7 %.
    assert np.mean((low <= Y_NEW) & (high >= Y_NEW)) == pytest.approx(0.9, abs=0.05)
    assert std.mean() == pytest.approx(np.std(Y_NEW - mean), rel=0.15)


def test_a_noise_that_networks_say_wrong_is_corrected() -> None:
    network = regression_network(0, 2)
    right = fitted(network, outputs="mean_log_variance").predict(X_NEW, True)[1]
    with torch.no_grad():
        network[-1].bias[1] -= np.log(9)  # deviations of a third
    wrong = fitted(network, outputs="mean_log_variance").predict(X_NEW, True)[1]
    assert wrong.mean() == pytest.approx(right.mean(), rel=0.02)


def test_variances_are_what_logarithms_of_them_are() -> None:
    class Told(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = regression_network(0, 2)

        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            mean, log_variance = self.inner(x).unbind(1)
            return mean, log_variance.exp()

    logs = fitted(regression_network(0, 2), outputs="mean_log_variance")
    plain = fitted(Told(), outputs="mean_variance")
    for one, other in zip(
        logs.predict(X_NEW, True), plain.predict(X_NEW, True), strict=True
    ):
        assert one == pytest.approx(other, rel=1e-4)


def test_far_away_it_says_the_distribution_of_y() -> None:
    model = fitted(regression_network(0))
    mean, std = model.predict(X_NEW + 1e5, return_std=True)
    assert mean == pytest.approx(Y.mean(), abs=0.05 * Y.std())
    assert std.min() > 0.8 * Y.std()


def test_several_targets_keep_their_columns() -> None:
    torch.manual_seed(0)
    both = nn.Linear(2, 2)
    with torch.no_grad():
        y = both(torch.tensor(X).float()).numpy() + 0.1 * Y[:, None]
    model = from_networks(both, "regression", random_state=0).fit(X, y)
    assert model.meaning_ == "mean"
    mean, std = model.predict(X[:7], return_std=True)
    assert mean.shape == std.shape == (7, 2)
    assert model.predictive(X[:7]).means.shape == (2, 7, 2)


def test_score_is_that_of_scikit_learn() -> None:
    assert fitted(regression_network(0)).score(X_NEW, Y_NEW) > 0.95
