"""
Members on a cluster
====================

``n_jobs`` spreads members over processes; inside joblib's Dask backend, over a cluster.
The result has the same bits either way.
"""

import matplotlib.pyplot as plt
import numpy as np
from dask.distributed import Client, LocalCluster
from joblib import parallel_config

from antireg import EnsembleRegressor

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (300, 2))
y = X[:, 0] + 0.1 * rng.normal(size=300)
settings = {"doubt": None, "method": "deep_ensemble", "steps": 300, "random_state": 0}
alone = EnsembleRegressor(**settings).fit(X, y)

if __name__ == "__main__":
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        Client(cluster),
        parallel_config("dask"),
    ):
        shared = EnsembleRegressor(n_jobs=-1, **settings).fit(X, y)
    print(np.array_equal(alone.predict(X), shared.predict(X)))
    plt.scatter(alone.predict(X), shared.predict(X), s=6)
    plt.title("predictions: the same bits")
    plt.xlabel("trained by one process")
    plt.ylabel("trained on the cluster")
    plt.show()
