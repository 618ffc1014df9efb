"""The paper's toy tasks, drawn from a seed."""

import numpy as np
from sklearn.datasets import make_moons

from antireg.paper.data.split import Array, Rows, Split

N_TEST = 1000


def two_moons(seed: int = 0) -> Split:
    """Return the two moons, centred near the origin: 200 train, 50 validation points.

    Args:
        seed: Fixes the points.
    """
    rng = np.random.RandomState(seed)  # the only kind that make_moons accepts
    train, validation, test = (_moons(n, rng) for n in (200, 50, N_TEST))
    return Split("two_moons", train, validation, test)


def one_dimensional(seed: int = 0) -> Split:
    """Return noisy values of `truth` around −0.5 and 0.75: 100 train, 20 validation.

    Args:
        seed: Fixes the points.
    """
    rng = np.random.default_rng(seed)
    train, validation, test = (_two_clouds(n, rng) for n in (50, 10, N_TEST // 2))
    return Split("one_dimensional", train, validation, test)


def truth(x: Array) -> Array:
    """Return the curve behind `one_dimensional`, in the shape of x.

    f(x) = 0.3 (x + sin 2πx + sin 4πx)
    """
    values: Array = 0.3 * (x + np.sin(2 * np.pi * x) + np.sin(4 * np.pi * x))
    return values


def _moons(n_rows: int, rng: np.random.RandomState) -> Rows:
    x, y = make_moons(n_rows, noise=0.1, random_state=rng)
    return Rows((x - [0.5, 0.25]).astype(np.float32), y.astype(np.int64))


def _two_clouds(n_each: int, rng: np.random.Generator) -> Rows:
    centres = np.repeat([-0.5, 0.75], n_each)
    x = rng.normal(centres, 0.1)
    y = truth(x) + rng.normal(0.0, 0.02, x.shape)
    return Rows(x[:, None].astype(np.float32), y.astype(np.float32))


def linear(matters: bool = True, seed: int = 0) -> Split:
    """Return a linear target of eight features, from strong to weak.

    Their mean squares range from 3 down to 0.03.

    Args:
        matters: Whether every second feature affects the target; otherwise none does.
        seed: Fixes the points.
    """
    rng = np.random.default_rng(seed)
    scale = np.sqrt(np.geomspace(3.0, 0.03, 8))
    weights = matters * np.array([0.5, 0.0, -0.5, 0.0, 0.5, 0.0, -0.5, 0.0])
    train, validation, test = (
        _plane(n, scale, weights, rng) for n in (4000, 1000, N_TEST)
    )
    return Split("linear", train, validation, test)


def _plane(n_rows: int, scale: Array, weights: Array, rng: np.random.Generator) -> Rows:
    x = rng.normal(0.0, scale, (n_rows, len(scale)))
    y = x @ weights + rng.normal(0.0, 0.1, n_rows)
    return Rows(x.astype(np.float32), y.astype(np.float32))
