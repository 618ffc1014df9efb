import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest
import torch

from antireg.familiarity.detection import Detector
from antireg.tables import learn_encoding
from antireg.tables.encoder import Encoded
from antireg.tables.files import Piece
from antireg.tables.scoring import _ahead, _in_order, score_pieces, score_rows
from tests.small_models import SMALL, EnsembleRegressor, classifier, regressor, rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_what_is_made_comes_in_the_order_of_what_is_given():
    def slow_first(number):
        time.sleep(0.02 * (number % 3 == 0))
        return number

    assert list(_in_order(slow_first, range(30))) == list(range(30))


def test_pieces_have_one_thread_each_and_threads_to_come_as_many_as_before():
    def threads(_=None):
        return torch.get_num_threads()

    before = threads()
    torch.set_num_threads(2)
    try:
        assert list(_in_order(threads, range(4))) == [1] * 4
        assert threads() == 2
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(threads).result() == 2
    finally:
        torch.set_num_threads(before)


def test_few_things_are_in_the_making_at_a_time():
    taken = []

    def given():
        for number in range(1000):
            taken.append(number)
            yield number

    found = _in_order(lambda number: number, given())
    assert [next(found) for _ in range(5)] == list(range(5))
    assert len(taken) < 30


def test_an_error_in_a_piece_is_raised():
    with pytest.raises(ZeroDivisionError):
        list(_in_order(lambda number: 1 / number, [2, 1, 0, 1]))


def test_the_next_thing_is_read_in_another_thread_while_this_one_is_used():
    read = []

    def given():
        for number in range(50):
            read.append(threading.current_thread())
            yield number

    things = _ahead(given())
    assert next(things) == 0
    assert len(read) <= 2
    assert list(things) == list(range(1, 50))
    assert threading.main_thread() not in read


def test_an_error_of_the_reader_is_raised_after_what_came_before_it():
    def given():
        yield 1
        raise ValueError("the file ends here")

    things = _ahead(given())
    assert next(things) == 1
    with pytest.raises(ValueError, match="the file ends here"):
        next(things)


def test_one_pass_says_what_the_methods_say():
    model, X = regressor(), rows()[0]
    found = score_rows(model, X, 0.8)
    mean, std = model.predict(X, return_std=True)
    low, high = model.predict_interval(X, 0.8)
    expected = {"mean": mean, "std": std, "low": low, "high": high}
    expected["ood_score"] = model.ood_score(X)
    assert list(found) == list(expected)
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values)


def test_a_classifier_has_one_column_for_each_class():
    model, X = classifier(("a", "b", "c")), rows()[0]
    found = score_rows(model, X, 0.9)
    assert list(found) == ["label", "p(a)", "p(b)", "p(c)", "ood_score"]
    np.testing.assert_array_equal(found["label"], model.predict(X))
    chances = np.stack([found[f"p({name})"] for name in "abc"], axis=1)
    np.testing.assert_array_equal(chances, model.predict_proba(X))


def test_every_flag_has_its_reason():
    rng = np.random.default_rng(0)
    table = pa.table({"a": rng.normal(size=100), "b": ["x", "y"] * 50})
    table = table.append_column("target", table["a"])
    encoding = learn_encoding(table, "target")
    X = encoding.encode(table.to_batches()[0])[0]
    rows = Encoded(X, (), encoding)
    model = EnsembleRegressor(**SMALL).fit(rows, table["target"].to_numpy())
    batch = pa.record_batch({"a": [0.0, 1e9, 0.0, 1e9], "b": ["x", "x", "z", "z"]})
    pieces = [Piece(batch, 1.0, batch)]
    (found,) = score_pieces(
        model, encoding, pieces, model.detector(), coverage=0.9, kept=["b"]
    )
    values = found.rows.to_pydict()
    outside = encoding.columns[0].outside(1e9)
    assert outside.startswith("a 1,000,000,000: above all 100 seen (-2.3")
    assert values["b"] == ["x", "x", "z", "z"]
    unseen = "b 'z': not seen"
    assert values["reason"] == ["", outside, unseen, f"{unseen}; {outside}"]
    assert values["flag"] == [False, True, True, True]
    assert found.n_flagged == 3


def test_gaps_and_words_that_only_held_out_rows_had_are_named_where_scores_are_high():
    rng = np.random.default_rng(0)
    a = [*rng.normal(size=100), *[None] * 10]
    table = pa.table({"a": pa.array(a), "b": ["x", "y"] * 50 + ["z"] * 10})
    table = table.append_column("target", pa.array(rng.normal(size=110)))
    encoding = learn_encoding(table, "target")
    X, y = encoding.encode(table.combine_chunks().to_batches()[0])[0], table["target"]
    held_out = X[100:], y.to_numpy()[100:]
    known = Encoded(X[:100], (), encoding)
    model = EnsembleRegressor(**SMALL).fit(
        known, y.to_numpy()[:100], validation_data=held_out
    )
    batch = pa.record_batch({"a": [None, 0.0, 0.0, None], "b": ["x", "z", "x", "w"]})
    for limit, expected in {
        0.0: [
            "a missing: rare in training",
            "b 'z': rare in training",
            "score",
            "b 'w': not seen",
        ],
        np.inf: ["", "", "", "b 'w': not seen"],
    }.items():
        pieces = [Piece(batch, 1.0)]
        (found,) = score_pieces(model, encoding, pieces, Detector(limit), coverage=0.9)
        assert found.rows["reason"].to_pylist() == expected
