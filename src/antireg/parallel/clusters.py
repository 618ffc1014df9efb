"""joblib's backends of Dask and Ray, made to say when a worker dies.

What they are made of is private to joblib and Ray, and is named here alone. Nothing is
imported for it: the classes are those of the backend that the user chose. Where a
release makes them otherwise, the backend is used as it is: results are the same, but
rows are sent again with every task, and the death of a worker may be waited out.
"""

from __future__ import annotations

from typing import Any


def kind(backend: Any) -> str | None:
    """Return "dask", "ray", or None for workers that are on this machine."""
    if "dask" in type(backend).__module__:
        return "dask"
    return "ray" if type(backend).__module__.startswith("ray.") else None


def dask(backend: Any, rows: Any) -> Any:
    """Return a backend like that of Dask that has sent rows to every worker.

    Args:
        backend: What the user chose.
        rows: What tasks will be called with.
    """
    try:
        own = type("Dask", (HeardByDask, type(backend)), {})
        return own(client=backend.client, scatter=[rows], **backend.submit_kwargs)
    except (AttributeError, TypeError):
        return backend


def ray(backend: Any) -> Any:
    """Return a backend like that of Ray."""
    try:
        own = type("Ray", (Heard, type(backend)), {})
        return own(ray_remote_args=backend.ray_remote_args)
    except (AttributeError, TypeError):
        return backend


class Heard:
    """What joblib's clusters lack: the death of a worker is an error, not a result."""

    def retrieve_result_callback(self, out: Any) -> Any:
        """Return what came back, or raise it."""
        if isinstance(out, BaseException):
            raise out
        return super().retrieve_result_callback(out)  # type: ignore[misc]


class HeardByDask(Heard):
    """The same for Dask's, which would wait for ever for a task whose workers died."""

    def submit(self, func: Any, callback: Any = None) -> Any:
        """Send a task, and see to it that its failure is heard of too."""
        future = super().submit(func, callback)  # type: ignore[misc]
        future.add_done_callback(
            lambda done: done.exception() and callback(done.exception())
        )
        return future
