"""joblib's backends for Dask and Ray, made to report when a worker dies.

This relies on private parts of joblib and Ray, which are named only here. Nothing is
imported for it: the classes are those of the backend that the user chose. If a release
changes them, the backend is used unmodified: results are the same, but rows are sent
again with every task, and a fit may wait forever for a worker that died.
"""

from __future__ import annotations

from typing import Any


def kind(backend: Any) -> str | None:
    """Return "dask", "ray", or None for workers that are on this machine."""
    if "dask" in type(backend).__module__:
        return "dask"
    return "ray" if type(backend).__module__.startswith("ray.") else None


def dask(backend: Any, rows: Any) -> Any:
    """Return a backend like Dask's that has already sent rows to every worker.

    Args:
        backend: The one that the user chose.
        rows: The argument that all tasks share.
    """
    try:
        own = type("Dask", (HeardByDask, type(backend)), {})
        return own(client=backend.client, scatter=[rows], **backend.submit_kwargs)
    except (AttributeError, TypeError):
        return backend


def ray(backend: Any) -> Any:
    """Return a backend like Ray's."""
    try:
        own = type("Ray", (Heard, type(backend)), {})
        return own(ray_remote_args=backend.ray_remote_args)
    except (AttributeError, TypeError):
        return backend


class Heard:
    """Raises the error of a worker that died, which joblib would return as a result."""

    def retrieve_result_callback(self, out: Any) -> Any:
        """Return a result, or raise it if it is an error."""
        if isinstance(out, BaseException):
            raise out
        return super().retrieve_result_callback(out)  # type: ignore[misc]


class HeardByDask(Heard):
    """The same for Dask, which would wait forever for a task whose workers died."""

    def submit(self, func: Any, callback: Any = None) -> Any:
        """Submit a task whose failure is reported too."""
        future = super().submit(func, callback)  # type: ignore[misc]
        future.add_done_callback(
            lambda done: done.exception() and callback(done.exception())
        )
        return future
