import dataclasses
import html
import re

import numpy as np
import pytest

import antireg
from tests import doubtful_models
from tests.small_models import classifier, regressor, rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_the_result_has_verdict_numbers_and_page(tmp_path):
    model, (X, y) = regressor(), rows()
    found = antireg.evaluate(model, X, y, ood=1000 * X)
    assert found.metrics["in_distribution"]["rows"] == 120
    assert found.metrics["ood"]["flagged_share"] > 0.9
    assert found.metrics["detection"]["auroc"] > 0.9
    assert found.verdicts["ood"].shifted
    assert "% of these 120 rows are unlike the training data" in repr(found)
    assert "No score on inputs can notice" in repr(found)
    found.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == found.html
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.detection = {}


def test_a_notebook_shows_the_page_in_a_frame_of_its_own():
    model, (X, y) = regressor(), rows()
    shown = antireg.evaluate(model, X, y)._repr_html_()
    inside = re.fullmatch(r'<iframe srcdoc="([^"]*)" [^<]*></iframe>', shown)[1]
    assert html.unescape(inside) == antireg.evaluate(model, X, y).html


def test_columns_have_the_names_of_the_frame():
    pandas = pytest.importorskip("pandas")
    X, y = doubtful_models.curved(200)
    frame = pandas.DataFrame(X, columns=["width", "height", "depth"])
    settings = doubtful_models.SETTINGS | {"epochs": 2, "doubt": None}
    model = antireg.EnsembleRegressor(**settings).fit(frame, y)
    far = frame.assign(height=500.0)
    found = antireg.evaluate(model, frame, y, ood=far)
    assert "mostly because of `height`" in found.verdicts["ood"].text


def test_doubt_tells_which_rows_not_to_trust():
    model, (X, _) = doubtful_models.regressor(), doubtful_models.curved()
    found = antireg.evaluate(model, np.concatenate([X[:300], 50 + X[:300]]))
    assert "Do not trust rows where `doubt` > 0.5: n = " in found.text
    assert found.verdicts["in_distribution"].doubted.count >= 300


def test_shifted_rows_may_have_targets_too():
    model, (X, y) = regressor(), rows()
    found = antireg.evaluate(model, X, y, ood=(X * 3, y))
    assert "rmse" in found.metrics["ood"]
    assert "rmse" not in antireg.evaluate(model, X, y, ood=X * 3).metrics["ood"]


def test_classes_are_measured_too():
    model, X = classifier(("a", "b", "c")), rows()[0]
    found = antireg.evaluate(model, X, model.predict(X))
    assert "labels are right (the model expects" in found.text
    assert found.metrics["in_distribution"]["accuracy"] == 1
    assert "accuracy" in found.html


def test_what_cannot_be_measured_is_refused_in_one_sentence():
    model, (X, y) = regressor(), rows()
    with pytest.raises(ValueError, match="one target for each row of X, got shape"):
        antireg.evaluate(model, X, y[:5])
    with pytest.raises(ValueError, match="y must be finite numbers"):
        antireg.evaluate(model, X, np.full(len(X), np.nan))
    with pytest.raises(TypeError, match="must be one of antireg's to be"):
        antireg.evaluate(object(), X, y)
    two = antireg.EnsembleRegressor(
        n_members=2, hidden=(4,), epochs=1, doubt=None, method="deep_ensemble"
    ).fit(X, np.stack([y, y], 1))
    with pytest.raises(ValueError, match="must have one target to be evaluated, got 2"):
        antireg.evaluate(two, X, y)
