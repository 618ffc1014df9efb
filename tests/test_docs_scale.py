"""The examples of the page on scale run as printed, on clusters of this machine."""

import pytest

from tests.pages import examples, run


@pytest.mark.cluster
@pytest.mark.filterwarnings("ignore")
def test_the_examples_run_on_clusters(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = run("scale.md")
    assert names["on_dask"].predict(names["X"]).tolist() == (
        names["on_ray"].predict(names["X"]).tolist()
    )


def test_they_are_python():
    blocks = examples("scale.md")
    assert len(blocks) == 2
    for block in blocks:
        compile(block, "scale.md", "exec")
