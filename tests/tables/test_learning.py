import numpy as np
import pyarrow as pa
import pytest

from antireg.tables import learn_encoding
from antireg.tables.columns import Seen


def learn(values, **settings):
    return learn_encoding(
        pa.table({"a": values, "y": [1.0] * len(values)}), "y", **settings
    )


def test_numbers_can_be_read_as_categories():
    column = learn([75001, 75002], categorical=["a"]).columns[0]
    assert column.categories == ("75001", "75002")


def test_too_many_categories_are_refused():
    with pytest.raises(ValueError, match=r"at most 100 .* got 101\. Leave it out with"):
        learn([str(k) for k in range(101)])
    assert len(learn([str(k) for k in range(101)], most_categories=101).features) == 102


def test_times_without_a_date_and_columns_without_numbers_are_refused():
    with pytest.raises(ValueError, match="must hold numbers, text, dates or true and"):
        learn(pa.array([0, 1], pa.time32("s")))
    with pytest.raises(ValueError, match="finite numbers, got none"):
        learn(pa.array([None, None], pa.float64()))


def test_a_table_of_the_target_alone_is_refused():
    with pytest.raises(ValueError, match="a column beside the target"):
        learn_encoding(pa.table({"y": [1.0]}), "y")


def test_tables_and_columns_without_values_are_refused():
    with pytest.raises(ValueError, match="must have rows to learn from"):
        learn(pa.array([], pa.float64()))
    with pytest.raises(ValueError, match="must hold some values, got none"):
        learn(pa.nulls(2))


def test_a_column_that_numbers_the_rows_is_warned_of():
    shuffled = [7 * k % 30 + 1 for k in range(30)]
    with pytest.warns(UserWarning, match="'a' numbers the rows, from 1 to 30"):
        learn(shuffled)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "values",
    [
        [*range(29), 40],
        [*range(29), 28],
        list(range(19)),
        [*range(29), None],
        [k + 0.5 for k in range(30)],
    ],
)
def test_other_whole_numbers_are_not(values):
    assert learn(values).columns[0].kind == "numeric"


def test_nothing_is_learned_from_rows_without_a_target():
    table = pa.table(
        {"a": [1.0, 3.0, None], "b": ["x", "y", "z"], "y": [1.0, 2.0, None]}
    )
    number, word = learn_encoding(table, "y").columns
    assert (number.fill, number.missing) == (2.0, False)
    assert word.categories == ("x", "y")
    with pytest.raises(ValueError, match="must have rows with a value of 'y'"):
        learn_encoding(table.slice(2), "y")


@pytest.mark.parametrize(
    ("values", "mean"),
    [([1.7e308] * 2, 1.7e308), ([1.7e308] * 128 + [-1.7e308] * 128, 0.0)],
)
def test_the_mean_of_huge_numbers_is_a_number(values, mean):
    assert learn(values).columns[0].fill == mean


def test_all_columns_that_cannot_be_used_are_named_at_once():
    table = pa.table(
        {
            "empty": pa.nulls(3),
            "noon": pa.array([0, 1, 2], pa.time32("s")),
            "open": pa.array([1, 2, 3], pa.time32("s")),
            "note, free": ["a", "b", "c"],
            "fine": [1.0, 2.0, 3.0],
            "y": [1.0, 2.0, 3.0],
        }
    )
    with pytest.raises(ValueError, match="Column 'empty' must hold some") as caught:
        learn_encoding(table, "y", most_categories=2)
    said = str(caught.value)
    assert "Columns 'noon', 'open' must hold numbers, text, dates or true" in said
    assert "Column 'note, free' must have at most 2 different values" in said
    assert "out with --drop 'empty,noon,open,note, free'. A column that says" in said


def test_dates_are_learned_with_their_period_and_clock():
    days = learn(pa.array([0, 10, None], pa.date32())).columns[0]
    assert (days.kind, days.fill, days.missing, days.clock) == (
        "date",
        5.0,
        True,
        False,
    )
    assert days.seen == Seen(2, 0.0, 10.0)
    hours = learn(pa.array([0, 6 * 3600], pa.timestamp("s", "UTC"))).columns[0]
    assert (hours.kind, hours.fill, hours.clock) == ("date", 0.125, True)


def test_the_range_is_that_of_finite_numbers_of_rows_with_a_target():
    a = pa.array([5.0, np.inf, None, -1.0, 99.0])
    y = pa.array([1.0, 1.0, 1.0, 1.0, None])
    column = learn_encoding(pa.table({"a": a, "y": y}), "y").columns[0]
    assert column.seen == Seen(2, -1.0, 5.0)
    assert learn([True, False]).columns[0].seen is None


def test_a_date_is_no_target():
    table = pa.table({"a": [1.0], "y": pa.array([1], pa.date32())})
    with pytest.raises(
        ValueError, match="'y' must hold numbers, text or true and false"
    ):
        learn_encoding(table, "y")
