from typing import Any

import pytest

from antireg.parallel import clusters


class Plain:
    """A backend of joblib as far as it is looked at here."""

    def __init__(self, **given: Any) -> None:
        self.given = given
        self.submit_kwargs = {"priority": 5}
        self.client = "the client"
        self.ray_remote_args = {"num_cpus": 2}

    def retrieve_result_callback(self, out: Any) -> Any:
        return [out]


class Otherwise(Plain):
    """One of a release that is made otherwise."""

    def __init__(self) -> None:
        super().__init__()
        del self.submit_kwargs, self.ray_remote_args


def test_kinds_are_told_by_where_they_are_made() -> None:
    for module, kind in {
        "joblib._dask": "dask",
        "ray.util.joblib.ray_backend": "ray",
        "joblib._parallel_backends": None,
    }.items():
        backend = type("Backend", (), {"__module__": module})()
        assert clusters.kind(backend) == kind


def test_a_backend_is_made_anew_from_its_own_class() -> None:
    dask = clusters.dask(Plain(), "rows")
    assert dask.given == {"client": "the client", "scatter": ["rows"], "priority": 5}
    ray = clusters.ray(Plain())
    assert ray.given == {"ray_remote_args": {"num_cpus": 2}}
    for own in (dask, ray):
        assert isinstance(own, Plain)
        assert own.retrieve_result_callback(1) == [1]
        with pytest.raises(KeyError):
            own.retrieve_result_callback(KeyError())


def test_a_backend_made_otherwise_is_used_as_it_is() -> None:
    backend = Otherwise()
    assert clusters.dask(backend, "rows") is backend
    assert clusters.ray(backend) is backend
