import numpy as np
from markupsafe import escape

from antireg.report.evaluation import Evaluation
from antireg.report.verdict import CHANGED, HOLD, RIGHT, verdict


def found(n_rows=1000, n_flagged=0, *, right=None, doubt=None, intervals=True):
    """Rows of which the first are flagged; `right` is the share of both kinds."""
    flags = np.arange(n_rows) < n_flagged
    if right is not None:
        counts = n_flagged, n_rows - n_flagged
        right = np.concatenate(
            [np.arange(n) < round(s * n) for s, n in zip(right, counts, strict=True)]
        )
    return Evaluation(
        scores=np.ones(n_rows),
        flags=flags,
        uncertainty=np.full(n_rows, 0.1),
        error=np.zeros(n_rows),
        calibration=np.zeros((2, 0)),
        coverage=np.zeros((2, 0)) if intervals else None,
        metrics={},
        doubt=doubt,
        right=right,
    )


def told(evaluation, column="built", share=0.9, n_held_out=1000):
    return verdict(evaluation, 0.05, n_held_out, lambda rows: (column, share))


def test_the_verdict_of_the_readme_is_said_in_these_words():
    doubt = np.where(np.arange(983) < 118, 0.8, 0.1)
    said = told(found(983, 118, right=(0.43, 0.9), doubt=doubt))
    assert said.text == (
        "12 % of these 983 rows are unlike the training data; 5 % is usual. On them "
        "intervals that should cover 90 % cover 43 % (95 % sure: between 34 % and "
        "53 %), on the others 90 %. Do not trust rows where `doubt` > 0.5: n = 118, "
        "mostly because of `built`."
    )
    assert said.shifted
    assert (said.flagged.count, said.doubted.count, said.column) == (118, 118, "built")


def test_answers_that_hold_on_rows_not_to_be_trusted_are_said_to():
    doubt = np.where(np.arange(1000) < 200, 0.8, 0.1)
    assert told(found(1000, 200, right=(0.9, 0.9), doubt=doubt)).text.endswith(HOLD)
    few = np.where(np.arange(1000) < 20, 0.8, 0.1)  # too few to say
    assert HOLD not in told(found(1000, 30, right=(0.9, 0.9), doubt=few)).text
    assert HOLD not in told(found(1000, 200, right=(0.88, 0.9), doubt=doubt)).text
    labels = found(1000, 200, right=(0.9, 0.9), doubt=doubt, intervals=False)
    assert told(labels).text.endswith(RIGHT)


def test_classes_are_right_or_wrong_as_often_as_the_model_expects():
    said = told(found(1000, 200, right=(0.5, 0.9), intervals=False))
    assert "On them 50 % of labels are right (the model expects 90 %)" in said.text
    assert "on the others 90 % (it expects 90 %)." in said.text
    assert "Do not trust the flagged rows: n = 200" in said.text


def test_no_flagged_rows_are_said_to_be_none():
    said = told(found(1000, right=(0, 0.9)))
    assert said.text == (
        "None of these 1,000 rows is unlike the training data. Here intervals that "
        "should cover 90 % cover 90 %. Nothing else here speaks against the model."
    )
    assert not said.shifted
    assert said.column == ""


def test_few_rows_are_counted_and_their_uncertainty_is_said():
    said = told(found(12, 2, right=(0.5, 0.9))).text
    assert said.startswith(
        "2 of these 12 rows are flagged as unlike the training data, which chance can "
        "explain: 5 % is usual. On the others intervals that should cover 90 % cover "
        "90 % (95 % sure: between 55 % and 99.7 %). 2 are too few to say how right it "
        "is on them. Look at the flagged rows: n = 2"
    )
    none = told(found(12)).text
    # 1 − 0.025^(1/12) = 0.265
    assert "With so few, up to 26 % of such rows may be." in none
    assert told(found(1)).text.startswith("This row is not unlike the training data.")
    assert told(found(1, 1)).text.startswith("This row is unlike the training data.")


def test_as_many_flags_as_usual_are_no_shift():
    said = told(found(1000, 50))
    assert not said.shifted
    assert "no more than the 5 % that is usual" in said.text
    assert "Look at the flagged rows" in said.text


def test_a_threshold_of_few_held_out_rows_explains_more_flags():
    assert told(found(1000, 90), n_held_out=1000).shifted
    assert not told(found(1000, 90), n_held_out=40).shifted


def test_without_targets_nothing_is_said_of_errors():
    said = told(found(1000, 200))
    assert "Without targets, nothing says how wrong the answers are." in said.text
    assert "cover" not in said.text
    assert said.right_flagged is said.right_others is None


def test_wrong_answers_on_familiar_rows_are_said_to_be_invisible_to_scores():
    assert CHANGED in told(found(1000, 50, right=(0.9, 0.5))).text
    assert CHANGED not in told(found(1000, 50, right=(0.9, 0.89))).text
    assert "speaks against" not in told(found(1000, 0, right=(0.9, 0.5))).text


def test_flags_are_named_where_doubt_misses_most_of_the_shift():
    doubt = np.where(np.arange(1000) < 3, 0.8, 0.1)
    assert "the flagged rows: n = 200" in told(found(1000, 200, doubt=doubt)).text
    assert "`doubt` > 0.5: n = 3" in told(found(1000, 50, doubt=doubt)).text


def test_columns_are_named_by_how_many_rows_they_explain():
    assert "mostly because of `built`" in told(found(100, 50)).text
    often = told(found(100, 50), share=0.3).text
    assert "most often because of `built` (30 %)" in often
    assert "because of no single column" in told(found(100, 50), "", 0.0).text


def test_names_cannot_break_the_page():
    said = told(found(100, 50), "a`<script>`")
    text = str(escape(said))
    assert "<code>a&#39;&lt;script&gt;&#39;</code>" in text
    assert "<script>" not in text
    assert "50\u00a0% " in text


def test_too_narrow_intervals_that_few_calibration_rows_explain_are_said():
    seen = told(found(1000, right=(0, 0.87)), n_held_out=50).text
    assert "cover 87 %. That is fewer than it should be." in seen
    assert "speaks against" not in seen
    many = told(found(1000, right=(0, 0.87)), n_held_out=100_000).text
    assert "targets have changed" in many
